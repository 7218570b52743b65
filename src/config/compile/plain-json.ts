/**
 * JSON as agent CLIs take it, as text that is YAML as well: comments and tabs outside of texts become spaces, one for one, so that every place in it stays
 * what it was. Never throws: what is no JSON is left to the reader behind it.
 */
export function toPlainJson(text: string): string {
  // What is never closed goes on to the end of its line, or of the text: each character is looked at once.
  return text.replace(/"(?:[^"\\\n]|\\.)*"?|\/\/[^\n]*|\/\*(?:[\s\S]*?\*\/|[\s\S]*$)|\t/g, (part) =>
    part.startsWith('"') ? part : part.replace(/[^\n\r]/g, ' '),
  );
}
