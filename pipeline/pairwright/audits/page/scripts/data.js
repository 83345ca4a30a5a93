// What the file holds, read when it is asked for.

const byId = (id) => document.getElementById(id);
const KEPT = 12; // Blocks in memory at a time.
const reading = new Map();

// The value of one block: base64 of raw deflate of JSON.
function block(name) {
  const known = reading.get(name) ?? unpacked(byId(name).textContent);
  reading.delete(name);
  reading.set(name, known); // The one used last stands last.
  if (reading.size > KEPT) reading.delete(reading.keys().next().value);
  return known;
}

async function unpacked(text) {
  const raw = atob(text);
  const bytes = new Uint8Array(raw.length);
  for (let i = 0; i < raw.length; i++) bytes[i] = raw.charCodeAt(i);
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate-raw"));
  return JSON.parse(await new Response(stream).text());
}

// The number of the block that a pair is in.
function blockOf(index, place) {
  let low = 0;
  let high = index.starts.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (index.starts[middle] <= place) low = middle;
    else high = middle - 1;
  }
  return low;
}

// Everything on one pair: its row with all texts, and what checks say of it.
async function wholePair(index, place) {
  const number = blockOf(index, place);
  const [texts, details] = await Promise.all([block(`texts-${number}`), block(`details-${number}`)]);
  const n = place - index.starts[number];
  const detail = details.rows[n];
  return {
    ...detail.row,
    question: texts.question[n],
    chosen: texts.chosen[n],
    rejected: texts.rejected[n],
    profile: detail.profile.map((post) => details.posts[post]),
    flags: detail.flags,
    where: detail.where,
    people: index.people[place],
  };
}
