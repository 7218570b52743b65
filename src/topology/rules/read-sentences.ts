/** A text is read to this length: instructions are some pages. */
const MAX_TEXT = 100_000;
/** How much of a line that ends with a colon is repeated before each entry of the list below it. */
const MAX_LEAD = 200;
/** Longer sentences are read in pieces: nobody writes such. */
const MAX_SENTENCE = 1000;
const LIST_MARK = /^\s*(?:[-*+•]|\d{1,3}[.)])\s+/;

/**
 * The sentences of instructions: lines of a paragraph are joined, an entry of a list is a sentence of its own, and what a colon announces
 * ("Emit one of:") stands before what follows it: the entries of a list, or one paragraph.
 */
export function readSentences(text: string): readonly string[] {
  const sentences: string[] = [];
  let block = '';
  let lead = '';
  let isLeadUsed = true;
  const close = (): void => {
    if (block === '') return;
    for (const sentence of `${lead} ${block}`.trim().split(/(?<=[.!?])\s+/)) {
      for (let at = 0; at < sentence.length; at += MAX_SENTENCE) sentences.push(sentence.slice(at, at + MAX_SENTENCE));
    }
    isLeadUsed = true;
    block = '';
  };
  for (const line of text.slice(0, MAX_TEXT).split('\n')) {
    const mark = LIST_MARK.exec(line);
    const words = line.slice(mark?.[0].length ?? 0).trim();
    const isApart = words === '' || words.startsWith('```') || /^#+\s/.test(words);
    if (isApart || mark !== null) close();
    if (isApart) continue;
    if (block === '' && mark === null && isLeadUsed) lead = '';
    block = block === '' ? words : `${block} ${words}`;
    if (!words.endsWith(':')) continue;
    close();
    lead = (sentences.at(-1) ?? '').slice(-MAX_LEAD);
    isLeadUsed = false;
  }
  close();
  return sentences;
}
