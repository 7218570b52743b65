import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { HAND_LIMITS } from '../core/panel/hand-limits.ts';
import type { RoundTask } from '../core/run/panel-state.ts';
import { isJsonObject, parseJson } from '../core/values/json.ts';
import { appendLine } from '../journal/agent-line.ts';
import { readNewLines } from '../journal/new-lines.ts';
import { nodeFileSystem } from '../journal/node-file-system.ts';
import { createSharedFileSystem } from '../journal/shared-file-system.ts';
import type { HandedIn, PanelHand } from '../ports/backend.ts';

/**
 * One round of an agent of a panel that is a program: what it may hand in, where it does that, in its own folder, and where it finds the verdict, in the run's,
 * in which no agent writes.
 */
export interface HandRound extends Pick<PanelHand, 'task' | 'candidates' | 'topics'> {
  readonly handInsFile: string;
  readonly verdictsFile: string;
  /** The folder of the agent; absolute. No link below it is followed on the way to what it hands in. */
  readonly root: string;
}

/** What an agent hands in. `hand`: an id, by which the verdict is found. */
export type HandedWords =
  | { readonly hand: string; readonly kind: 'answer'; readonly content: string; readonly topic?: string }
  | { readonly hand: string; readonly kind: 'vote'; readonly target: string; readonly reason: string };

/** Where a program that hands in looks for its round. */
export const HAND_VARIABLE = 'RALPH_PANEL_ROUND';

/**
 * Writes down a round, for the programs of its agent.
 *
 * @param turnFolder the folder of the round, in which the agent does not write
 * @param work where the agent works
 * @returns the round, and the path of what was written
 */
export function writeHandRound(
  turnFolder: string,
  work: string,
  { task, candidates, topics }: PanelHand,
): { readonly file: string; readonly round: HandRound } {
  // The name says nothing, and no round reads what was meant for one before it.
  const handInsFile = join(work, '.agent', `hand-in-${Date.now().toString(36)}.jsonl`);
  const round: HandRound = { task, candidates, topics, handInsFile, verdictsFile: join(turnFolder, 'verdicts.jsonl'), root: work };
  const file = join(turnFolder, 'round.json');
  mkdirSync(dirname(handInsFile), { recursive: true });
  writeFileSync(round.verdictsFile, '', { mode: 0o600 });
  writeFileSync(file, JSON.stringify(round), { mode: 0o600 });
  return { file, round };
}

/** Reads a round; `null` where there is none. Never throws. */
export function readHandRound(path: string | undefined): HandRound | null {
  if (path === undefined || path === '') return null;
  try {
    const value = parseJson(readFileSync(path, 'utf8'));
    if (!isJsonObject(value)) return null;
    const { task, candidates, topics, handInsFile, verdictsFile, root } = value;
    if (typeof handInsFile !== 'string' || typeof verdictsFile !== 'string' || typeof root !== 'string' || !isTask(task)) return null;
    return { task, candidates: toNames(candidates), topics: toNames(topics), handInsFile, verdictsFile, root };
  } catch {
    return null;
  }
}

function isTask(value: unknown): value is RoundTask {
  return value === 'answer' || value === 'vote' || value === 'present';
}

function toNames(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((name): name is string => typeof name === 'string') : [];
}

/** The longest answer, each of its characters escaped, and room around it. */
const MAX_LINE_BYTES = 6 * HAND_LIMITS.answer + 40_000;

/** What the programs of an agent hand in during its round. */
export interface HandBox {
  /** What was handed in since it was asked last. Never throws. */
  readonly read: () => readonly HandedWords[];
  readonly reply: (hand: string, handed: HandedIn) => void;
}

/** Opens the box of a round, seen from the side of the panel. */
export function openHandBox({ handInsFile, verdictsFile, root }: HandRound): HandBox {
  const file = { fs: createSharedFileSystem(root), path: handInsFile };
  let offset = 0;
  return {
    read: () => {
      const found = readNewLines(file, offset, MAX_LINE_BYTES);
      offset = found.offset;
      return found.lines.flatMap(({ text }) => parseHandedWords(text) ?? []);
    },
    reply: (hand, { isAccepted, text }) => appendLine(nodeFileSystem, verdictsFile, JSON.stringify({ hand, isAccepted, text })),
  };
}

const MAX_ID = 100;
const MAX_WORD = 200;

/** What a line hands in; `null` for what nobody could have meant. */
function parseHandedWords(line: string): HandedWords | null {
  const value = parseJson(line);
  if (!isJsonObject(value)) return null;
  const { hand, kind, content, topic, target, reason } = value;
  if (typeof hand !== 'string' || hand.length > MAX_ID) return null;
  if (kind === 'answer' && typeof content === 'string')
    return { hand, kind, content, ...(typeof topic === 'string' && { topic: topic.slice(0, MAX_WORD) }) };
  if (kind === 'vote' && typeof target === 'string')
    return { hand, kind, target: target.slice(0, MAX_WORD), reason: typeof reason === 'string' ? reason.slice(0, HAND_LIMITS.reason) : '' };
  return null;
}

/** Hands in, seen from the side of the agent. Throws the system error. */
export function writeHandIn({ handInsFile, root }: HandRound, words: HandedWords): void {
  appendLine(createSharedFileSystem(root), handInsFile, JSON.stringify(words));
}

/** Reads the verdicts from a byte on: that on one hand-in, if it is there. */
export function findVerdict(
  { verdictsFile }: HandRound,
  hand: string,
  from: number,
): { readonly verdict: HandedIn | null; readonly offset: number } {
  const { lines, offset } = readNewLines({ fs: nodeFileSystem, path: verdictsFile }, from);
  for (const { text } of lines) {
    const value = parseJson(text);
    if (!isJsonObject(value) || value['hand'] !== hand || typeof value['text'] !== 'string') continue;
    return { verdict: { isAccepted: value['isAccepted'] === true, text: value['text'] }, offset };
  }
  return { verdict: null, offset };
}
