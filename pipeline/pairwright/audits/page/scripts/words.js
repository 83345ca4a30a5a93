// What a word is, and how many there are, as in pairwright.text.scripts.

const KANA = "\\u3041-\\u3096\\u309d-\\u309f\\u30a1-\\u30fa\\u30fc-\\u30ff\\u31f0-\\u31ff";
const HAN = "\\u3005\\u3007\\u3400-\\u4dbf\\u4e00-\\u9fff\\uf900-\\ufaff\\u{20000}-\\u{3134f}";
const THAI = "\\u0e01-\\u0e3a\\u0e40-\\u0e4e\\u0e81-\\u0ece\\u1000-\\u109f\\u1780-\\u17d3"; // And its like.
const UNSPACED = `[${KANA}${HAN}${THAI}]`;
const LETTER = `(?:(?!${UNSPACED})[\\p{L}\\p{N}\\p{M}])`;
// Where no spaces are between words, every character with its marks is compared as one.
const WORD = new RegExp(`${UNSPACED}\\p{M}*|${LETTER}+(?:['’]${LETTER}+)*`, "gu");
const PER_WORD = { chinese: 1.6, japanese: 1.85, thai: 5.5 }; // Characters.

// The words of a text in order, with their places.
function wordsOf(text) {
  const found = [];
  for (const word of text.matchAll(WORD)) {
    const [from, to] = [word.index, word.index + word[0].length];
    found.push({ word: word[0].normalize("NFC").toLowerCase(), from, to });
  }
  return found;
}

// Words as a person counts them: between white space, or as many as the characters make.
function wordCount(text) {
  const [kana, han, thai] = [KANA, HAN, THAI].map((range) => matches(text, `[${range}]`).length);
  if (!(kana + han + thai)) return matches(text, "\\S+").length;
  const perWord = kana ? PER_WORD.japanese : PER_WORD.chinese;
  const unspaced = Math.max(1, Math.round((kana + han) / perWord + thai / PER_WORD.thai));
  // Marks alone, such as an ideographic full stop, are not words here.
  const spaced = text.replace(new RegExp(UNSPACED, "gu"), " ").split(/\s+/);
  return unspaced + spaced.filter((token) => /[\p{L}\p{N}]/u.test(token)).length;
}

const matches = (text, pattern) => text.match(new RegExp(pattern, "gu")) ?? [];
