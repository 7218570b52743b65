import type { Feedback } from '../core/index.ts';
import { gateNote, redBeforeNote, stuckNote } from './gate-notes.ts';
import type { PromptContext } from './prompt-context.ts';
import { inCode, inLine, listInCode, setting } from './quoting.ts';
import { type Section, section } from './section.ts';
import { joinWords, ours, say, type Words } from './words.ts';

type Kind = Feedback['kind'];
type NotesOf<K extends Kind> = readonly Extract<Feedback, { readonly kind: K }>[];

/** How many notes of one kind are shown: the newest. */
const SHOWN = 3;

/** What became of what the wearer did in earlier turns: one note for each kind of thing, as far as that goes. */
export function planFeedback({ turn, topology }: PromptContext): Section | null {
  const notes = [
    refusedNote(pick(turn.feedback, 'refused')),
    ...newest(pick(turn.feedback, 'payload-refused')).map(payloadNote),
    ...newest(pick(turn.feedback, 'promise-refused')).map(({ why }) => say`- You did not end the run: ${sentence(why)}`),
    ...newest(pick(turn.feedback, 'completion-held')).map((note) => heldNote(note, turn.hat)),
    ...newest(pick(turn.feedback, 'missed')).map((note) => missedNote(note, topology.spec.promise)),
    ...newest(pick(turn.feedback, 'gate-stuck')).map(stuckNote),
    ...newest(pick(turn.feedback, 'gate-failed')).map(gateNote),
    ...newest(pick(turn.feedback, 'red-before')).map(redBeforeNote),
    trustedNote(pick(turn.feedback, 'trusted-changed')),
    treeNote(pick(turn.feedback, 'tree-changed')),
    withdrawnNote(pick(turn.feedback, 'withdrawn')),
    malformedNote(pick(turn.feedback, 'malformed')),
  ].filter((note) => note.length > 0);
  const about = isOfOthers(turn) ? 'You are asked to resolve this; deal with it first.' : toAbout(turn);
  return notes.length === 0 ? null : section('FEEDBACK', ours(about), joinWords(notes, '\n'));
}

/** Who begins had no turn before. */
function toAbout({ feedback }: PromptContext['turn']): string {
  const isBeginning = feedback.every((note) => note.kind === 'red-before');
  return isBeginning ? 'How the project is as you begin.' : 'About your last turn; deal with this first.';
}

/** True where all of it is what another hat could not get past a gate. */
function isOfOthers({ hat, feedback }: PromptContext['turn']): boolean {
  const isStuck = feedback.some((note) => note.kind === 'gate-stuck' && note.hat !== hat);
  const isTheirs = (note: Feedback): boolean => note.kind === 'gate-failed' || (note.kind === 'gate-stuck' && note.hat !== hat);
  return isStuck && feedback.every((note) => isTheirs(note) || (note.kind === 'withdrawn' && note.topics.length === 0));
}

/** The outputs of commands that the section quotes, so that no other section quotes them again. */
export function listQuotedOutputs({ turn }: PromptContext): ReadonlySet<string> {
  const failed = newest(pick(turn.feedback, 'gate-failed')).flatMap(({ results }) => results.filter(({ passed }) => !passed));
  return new Set(failed.map(({ outputTail }) => outputTail));
}

function pick<K extends Kind>(feedback: readonly Feedback[], kind: K): NotesOf<K> {
  return feedback.filter((note): note is Extract<Feedback, { readonly kind: K }> => note.kind === kind);
}

/** The last few different ones. */
function newest<T>(notes: readonly T[]): readonly T[] {
  const different = new Map(notes.map((note) => [JSON.stringify(note), note]));
  return [...different.values()].slice(-SHOWN);
}

function refusedNote(notes: NotesOf<'refused'>): Words {
  const last = notes[notes.length - 1];
  if (last === undefined) return [];
  const allowed = last.allowed.length === 0 ? ours('You may publish nothing.') : say`Allowed: ${listInCode(last.allowed)}.`;
  return say`- You may not publish ${listInCode(notes.map((note) => note.topic))}. ${allowed}`;
}

function payloadNote({ topic, why }: NotesOf<'payload-refused'>[number]): Words {
  return say`- ${inCode(topic)} was not published: ${sentence(why)} Publish it again with such a payload.`;
}

function trustedNote(notes: NotesOf<'trusted-changed'>): Words {
  const last = notes[notes.length - 1];
  if (last === undefined) return [];
  return say`- You changed ${listInCode(last.paths)}, which is not yours. It was undone and is on record. Leave \`.ralph/\` and git's filters alone.`;
}

/** A person's word came before the end: whoever claimed it, and whoever takes the word, is told. */
function heldNote({ by, topics }: NotesOf<'completion-held'>[number], hat: string): Words {
  const who = by === hat ? ours('You') : inCode(by);
  const claim = say`${who} declared the work complete, but a person had published ${listInCode(topics)}, so the run goes on.`;
  return say`- ${claim} Deal with that first; completion counts only when it is declared anew.`;
}

/** Says it in a sentence, so that an echo of it does not count. */
function missedNote({ topic, line }: NotesOf<'missed'>[number], promise: string): Words {
  if (topic !== null)
    return say`- Your line ${inCode(line)} published nothing: an event counts only in one of the ways shown below. If it still holds, publish it so.`;
  return say`- Your line ${inCode(line)} did not end the run. If all is done: ${setting(promise)} alone on a line of its own, no quotation, code or sentence around it. Else go on.`;
}

/** The newest: what stood before was told before. */
function treeNote(notes: NotesOf<'tree-changed'>): Words {
  const last = notes[notes.length - 1];
  if (last === undefined) return [];
  if (last.total === 0)
    return ours('- You may not change files. Whether you did could not be told: that is on record. Leave `.git/` alone.');
  const more = last.total > last.paths.length ? ours(` and ${last.total - last.paths.length} more`) : [];
  const fate = last.reverted === null ? ours('That is on record.') : ours('It was taken back and is on record.');
  return say`- You may not change files, and you changed ${listInCode(last.paths)}${more}. ${fate} Only \`.agent/\` is yours; hand the work on instead.`;
}

function withdrawnNote(notes: NotesOf<'withdrawn'>): Words {
  const topics = notes.flatMap((note) => note.topics);
  if (topics.length === 0) return [];
  return say`- Your interrupted attempt already wrote ${listInCode(topics)}; nobody got it. Check what it left in the files, finish, publish again.`;
}

/** With the beginning of the line, so that its author knows which it was. */
function malformedNote(notes: NotesOf<'malformed'>): Words {
  const shown = newest(notes).map(({ where, message, excerpt }) => {
    const line = excerpt === undefined || excerpt === '' ? [] : say` It begins: ${inCode(excerpt)}`;
    return say`${inLine(where)}: ${sentence(message)}${line}`;
  });
  return shown.length === 0 ? [] : say`- Not taken as you wrote it: ${joinWords(shown, ' ')} Write again what was lost.`;
}

/** Somebody's words as a sentence: with one full stop. */
function sentence(text: string): Words {
  return say`${inLine(text.replace(/[\s.]+$/, ''))}.`;
}
