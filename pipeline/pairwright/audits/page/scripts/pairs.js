// Which pairs the reader has asked for.

// What people said of a pair, or simulated annotators in their place, who verify nothing.
const DECIDED = {
  unasked: { mark: "", chip: ["nobody was asked"], says: "Nobody was asked about it." },
  verified: {
    mark: "✓ verified", chip: ["verified", "good"], says: "Verified by the rule of its study.",
  },
  "not verified": { mark: "✗ not verified", chip: ["not verified"], says: "Not verified." },
  simulated: {
    mark: "verified by simulated annotators", chip: ["verified by simulated annotators", "bad"],
    says: "Simulated annotators verified it by the rule of its study, which verifies nothing.",
  },
  "simulated, not verified": {
    mark: "not verified by simulated annotators", chip: ["not verified by simulated annotators", "bad"],
    says: "Simulated annotators were asked about it and did not verify it, which says nothing.",
  },
};

const PEOPLE = [
  ["", "any decision", () => true],
  ["verified", "verified by people", (index, n) => index.people[n] === "verified"],
  ["refused", "people asked, not verified", (index, n) => index.people[n] === "not verified"],
  ["simulated", "verified by simulated annotators", (index, n) => index.people[n] === "simulated"],
  ["simulated refused", "not verified by simulated annotators",
    (index, n) => index.people[n] === "simulated, not verified"],
  ["against", "any vote for the rejected", (index, n) => (index.votes[n]?.[1] ?? 0) > 0],
  ["unasked", "nobody was asked", (index, n) => index.people[n] === "unasked"],
];

// Words that all must occur; "words in quotes" must occur as they stand.
function termsOf(query) {
  const found = query.toLowerCase().matchAll(/["“”]([^"“”]+)["“”]?|[^\s"“”]+/g);
  return [...found].map((term) => (term[1] ?? term[0]).trim()).filter(Boolean);
}

// Lower-cased texts of all pairs: ids and the starts of questions at once, the rest as it is read.
function searchable(index, done) {
  const texts = index.ids.map((id, n) => `${id}\n${index.questions[n]}`.toLowerCase());
  const state = { texts, read: index.starts.length === 0 ? 1 : 0 };
  (async () => {
    for (let number = 0; number < index.starts.length; number++) {
      const part = await unpacked(byId(`texts-${number}`).textContent);
      part.question.forEach((question, n) => {
        const place = index.starts[number] + n;
        const whole = [index.ids[place], question, part.chosen[n], part.rejected[n]];
        texts[place] = whole.join("\n").toLowerCase();
      });
      state.read = (number + 1) / index.starts.length;
      done();
    }
    performance.mark("read");
  })();
  return state;
}

// Places of the pairs that fit, in the order of the source.
function fitting(index, texts, asked) {
  const people = PEOPLE.find(([name]) => name === asked.people)[2];
  const configs = index.configs.map(
    ([domain, mode]) =>
      (asked.domain === "" || domain === asked.domain.slice(1)) &&
      (asked.mode === "" || mode === asked.mode.slice(1)),
  );
  const failed = index.checks.map((check) => check[1]);
  const flagged = {
    "": () => true,
    any: (flags) => flags.length > 0,
    failed: (flags) => flags.some((flag) => failed[flag]),
    none: (flags) => flags.length === 0,
  };
  const check = flagged[asked.check] ?? ((flags) => flags.includes(Number(asked.check)));
  const terms = termsOf(asked.query);
  const places = [];
  for (let n = 0; n < index.ids.length; n++) {
    if (!configs[index.config[n]] || !check(index.flags[n]) || !people(index, n)) continue;
    if (terms.every((term) => texts[n].includes(term))) places.push(n);
  }
  return places;
}
