import { isPromiseLine } from '../core/index.ts';
import { joinWords, mergePieces, ours, say, type Words } from './words.ts';

/** A part of a prompt under a heading. */
export interface Section {
  readonly title: string;
  readonly body: Words;
}

/** A stretch of the prompt, in order: the texts of all, one after the other, are the prompt. */
export interface PromptSection {
  /** The heading that it stands under. */
  readonly title: string;
  /** True for Ralph's own words; false for the user's and other agents': names, topics, instructions, the objective, payloads. */
  readonly own: boolean;
  readonly text: string;
}

/** A section whose body is paragraphs; `null` where there is nothing to say. */
export function section(title: string, ...paragraphs: readonly Words[]): Section | null {
  const body = joinWords(paragraphs, '\n\n');
  return body.length === 0 ? null : { title, body };
}

/** Lines one below the other. */
export function lines(...parts: readonly Words[]): Words {
  return joinWords(parts, '\n');
}

/** Puts sections below one another, with headings that cannot be taken for the promise. */
export function layOut(sections: readonly (Section | null)[], promise: string): readonly PromptSection[] {
  const present = sections.filter((part) => part !== null);
  return present.flatMap(({ title, body }, index) => {
    const heading = toHeading(title, index === 0 ? '#' : '##', promise);
    const end = index === present.length - 1 ? '\n' : '\n\n';
    return mergePieces(say`${ours(heading)}\n\n${body}${ours(end)}`).map((piece) => ({ title, ...piece }));
  });
}

function toHeading(title: string, mark: string, promise: string): string {
  return isPromiseLine(title, promise) ? `${mark} ${title}:` : `${mark} ${title}`;
}
