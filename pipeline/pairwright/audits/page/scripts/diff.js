// Which words of two texts are not in both, in the same order.

const CELLS = 6e6; // Words of one text times words of the other, at most.
const RUN = 3; // Fewer words in a row that both have are not a common passage.

// {a, b}: spans of each text to be marked; null where the texts are too long to compare.
function differences(a, b) {
  const [left, right] = [wordsOf(a), wordsOf(b)];
  let start = 0;
  while (start < left.length && left[start].word === right[start]?.word) start++;
  let [m, n] = [left.length, right.length];
  while (m > start && n > start && left[m - 1].word === right[n - 1].word) {
    m--;
    n--;
  }
  if ((m - start) * (n - start) > CELLS) return null;
  const pairs = common(left.slice(start, m), right.slice(start, n));
  const inside = runs(pairs).map(([i, j]) => [i + start, j + start]);
  const same = { a: new Set(), b: new Set() };
  for (const [i, j] of inside) {
    same.a.add(i);
    same.b.add(j);
  }
  const outside = (words, end, kept) => (i) => i >= start && i < end && !kept.has(i);
  return {
    a: spansOf(left, outside(left, m, same.a)),
    b: spansOf(right, outside(right, n, same.b)),
    // Of the words of both, which share stands in passages that both have.
    shared: (2 * (start + left.length - m + inside.length)) / Math.max(1, left.length + right.length),
  };
}

// A longest common subsequence, as pairs of places (Wagner and Fischer 1974).
function common(left, right) {
  const width = right.length + 1;
  const table = new Uint16Array((left.length + 1) * width);
  for (let i = left.length - 1; i >= 0; i--) {
    for (let j = right.length - 1; j >= 0; j--) {
      const at = i * width + j;
      table[at] =
        left[i].word === right[j].word
          ? table[at + width + 1] + 1
          : Math.max(table[at + width], table[at + 1]);
    }
  }
  const pairs = [];
  for (let i = 0, j = 0; i < left.length && j < right.length; ) {
    if (left[i].word === right[j].word) pairs.push([i++, j++]);
    else if (table[(i + 1) * width + j] >= table[i * width + j + 1]) i++;
    else j++;
  }
  return pairs;
}

// The pairs that stand in runs long enough to read as one passage.
function runs(pairs) {
  const kept = [];
  let run = [];
  for (const pair of [...pairs, [NaN, NaN]]) {
    const last = run.at(-1);
    if (last && (pair[0] !== last[0] + 1 || pair[1] !== last[1] + 1)) {
      if (run.length >= RUN) kept.push(...run);
      run = [];
    }
    run.push(pair);
  }
  return kept;
}

// Spans over words that `differs`, those next to each other as one.
function spansOf(words, differs) {
  const spans = [];
  let before = -2;
  words.forEach((word, i) => {
    if (!differs(i)) return;
    if (before === i - 1) spans.at(-1)[1] = word.to;
    else spans.push([word.from, word.to]);
    before = i;
  });
  return spans;
}
