/** What needs no quotes anywhere in YAML, and is read as a text. */
const PLAIN = /^[A-Za-z_][A-Za-z0-9_-]*(?:\.[A-Za-z0-9_*-]+)*$/;
const NO_TEXT = /^(true|false|null)$/i;

/** A word as it is written in YAML: bare where it can be, else in quotes; in the quotes of its neighbour where that has some. */
export function toYamlWord(word: string, neighbour = ''): string {
  const quotes = neighbour.startsWith('"') ? '"' : neighbour.startsWith("'") ? "'" : '';
  if (quotes === '' && PLAIN.test(word) && !NO_TEXT.test(word)) return word;
  return quotes === "'" ? `'${word.replaceAll("'", "''")}'` : JSON.stringify(word);
}
