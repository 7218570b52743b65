/** A stretch of a prompt: Ralph's own words, or somebody else's (names, topics, instructions, payloads). */
export interface Piece {
  readonly own: boolean;
  readonly text: string;
}

/** Text that remembers who wrote which part of it, so that the budget of Ralph's own words can be measured. */
export type Words = readonly Piece[];

/** Ralph's own words. */
export function ours(text: string): Words {
  return text === '' ? [] : [{ own: true, text }];
}

/** Somebody else's words, taken as they are: clean and quote them first (quoting.ts). */
export function theirs(text: string): Words {
  return text === '' ? [] : [{ own: false, text }];
}

/** A template whose literal parts are Ralph's own words. Only {@link Words} can be put in, so that nothing gets in unquoted. */
export function say(literals: TemplateStringsArray, ...values: readonly Words[]): Words {
  return literals.flatMap((literal, index) => [...ours(literal), ...(values[index] ?? [])]);
}

/** The parts in order, with a separator between them; empty parts are left out. */
export function joinWords(parts: readonly Words[], separator: string): Words {
  const present = parts.filter((part) => part.length > 0);
  return present.flatMap((part, index) => (index === 0 ? part : [...ours(separator), ...part]));
}

/** The text alone. */
export function toText(words: Words): string {
  return words.map((piece) => piece.text).join('');
}

/** The same text in as few pieces as possible. */
export function mergePieces(words: Words): Words {
  const merged: Piece[] = [];
  for (const piece of words) {
    const last = merged[merged.length - 1];
    if (last?.own === piece.own) merged[merged.length - 1] = { own: piece.own, text: last.text + piece.text };
    else merged.push(piece);
  }
  return merged;
}
