import { closeSync, existsSync, fstatSync, openSync, readFileSync, readSync } from 'node:fs';
import { join } from 'node:path';
import { addUsage, UNKNOWN_USAGE, type Usage } from '../../core/backends/usage.ts';
import { RALPH } from '../../core/events/reserved.ts';
import { tryOr } from '../../core/values/result.ts';
import type { AssistantMessage, ModelMessage } from '../../ports/model.ts';
import { listNames } from '../../process/paths.ts';
import type { SessionEnd, SessionHeader } from './agent-turn.ts';
import { renderHandOver } from './conversation.ts';
import {
  type FoldedSession,
  foldTranscript,
  NO_MEMORY,
  type OpenCalls,
  type Publication,
  parseLines,
  SESSION_FILE,
  type SessionMemory,
} from './transcript.ts';

/** How a turn's conversation begins. */
export interface SessionStart {
  /** The turn whose conversation it goes on with, `null` for none. */
  readonly follows: string | null;
  /** That turn was interrupted, and this is its continuation. */
  readonly isContinuation: boolean;
  readonly messages: readonly ModelMessage[];
  /** Where it was interrupted while tools ran: their calls, of which the last message holds the results. */
  readonly open: OpenCalls | null;
  /** It was interrupted behind its last word: nothing is left but to end it. */
  readonly isDone: boolean;
  /** What files were when they were read in that conversation, by real path. */
  readonly reads: SessionMemory['reads'];
  /** What the interrupted turns had published and the loop has withdrawn since, the newest of each topic. */
  readonly withdrawn: readonly Publication[];
  /** Answers of the interrupted turns that published by their words; the loop has not read them. */
  readonly said: readonly AssistantMessage[];
  /** Steps of the interrupted turns that it continues. */
  readonly stepsBefore: number;
  /** Turns of the hat before this one; an interrupted one and its continuation are one. */
  readonly turnsBefore: number;
  /** What a turn did that a limit ended: the hat's last turn, for Ralph also the last turn of the run. `null`: there is none. */
  readonly handOver: string | null;
  /** In the headings of what hooks say in that conversation; absent: none was begun, or it has none. */
  readonly nonce?: string;
}

/** Whose turn begins, and what it can go on with. */
export interface SessionWish {
  /** The folder with one folder for each turn of the run. */
  readonly turnsDir: string;
  /** The turn that begins: `7.1`. */
  readonly turn: string;
  readonly hat: string;
  readonly key: string;
  readonly context: 'fresh' | 'carry';
  /** So many turns right before did not end for the loop, whatever their sessions say. Default: none. */
  readonly interruptions?: number | undefined;
}

const NOTHING = { ...NO_MEMORY, follows: null, isContinuation: false, withdrawn: [], said: [], stepsBefore: 0, handOver: null } as const;

/**
 * Finds the conversation that a turn goes on with: that of the turn right before it, if this was the same hat's and was interrupted; with
 * `context: carry` the newest one of the same model. Everything is read from the files of the run, so it is the same after a crash.
 */
export function findSession(wish: SessionWish): SessionStart {
  const edges = listEdges(wish);
  const own = edges.filter((edge) => edge?.header.hat === wish.hat && !edge.header.isTakenUp).length;
  const last = edges.at(-1) ?? null;
  if (last !== null && last.header.hat === wish.hat && last.header.key === wish.key && wasInterrupted(last.end, wish, last.header)) {
    const chain = readChain(wish, last.header.turn);
    const { messages, open, isDone, reads, withdrawn, said, steps, header } = chain;
    const stepsBefore = (header?.stepsBefore ?? 0) + steps;
    return {
      follows: last.header.turn,
      isContinuation: true,
      messages: withoutOpenRequest(chain),
      open,
      isDone: isDone && messages.at(-1)?.role === 'assistant',
      reads,
      withdrawn,
      said,
      stepsBefore,
      turnsBefore: Math.max(0, own - 1),
      handOver: null,
      ...toNonce(header),
    };
  }
  const handOver = findHandOver(wish, edges);
  const carried =
    wish.context === 'carry' ? edges.findLast((edge) => edge?.header.context === 'carry' && edge.header.key === wish.key) : null;
  if (carried === null || carried === undefined) return { ...NOTHING, turnsBefore: own, handOver };
  const chain = readChain(wish, carried.header.turn);
  const { reads, header } = chain;
  return { ...NOTHING, follows: carried.header.turn, messages: withoutOpenRequest(chain), reads, turnsBefore: own, ...toNonce(header) };
}

function toNonce(header: SessionHeader | null): Pick<SessionStart, 'nonce'> {
  return typeof header?.nonce === 'string' ? { nonce: header.nonce } : {};
}

function findHandOver(wish: SessionWish, edges: readonly (Edges | null)[]): string | null {
  const own = edges.findLast((edge) => edge?.header.hat === wish.hat);
  const before = edges.at(-1);
  const told = [own, ...(wish.hat === RALPH && before !== own ? [before] : [])].flatMap((edge) => {
    if (edge === null || edge === undefined || edge.end?.isLimited !== true) return [];
    const { hat, turn } = edge.header;
    return [renderHandOver({ hat, turn, failure: edge.end.failure, isOwn: edge === own }, readChain(wish, turn).messages)];
  });
  return told.length === 0 ? null : told.join('\n\n');
}

/** Killed, stopped, or given up for now: another attempt of the same iteration goes on with what was done. */
function wasInterrupted(end: SessionEnd | null, wish: SessionWish, header: SessionHeader): boolean {
  if (end === null || end.status === 'stopped') return true;
  const distance = toIteration(wish.turn) - toIteration(header.turn);
  // Killed between its own end and the journal's.
  if (end.status === 'succeeded') return distance > 0 && distance <= (wish.interruptions ?? 0);
  const isRetried = end.failure?.class === 'transient' || end.failure?.class === 'limit';
  return isRetried && distance === 0;
}

/** A request that was never answered is asked anew by the turn's own prompt. */
function withoutOpenRequest({ messages, settled }: SessionMemory): readonly ModelMessage[] {
  return messages.slice(0, settled);
}

/** Turns before the one that begins, oldest first. */
function listTurns({ turnsDir, turn }: SessionWish): readonly string[] {
  const order = (name: string): number => toIteration(name) * 1e6 + Number(name.split('.')[1] ?? 0);
  return listNames(turnsDir)
    .filter((name) => /^\d+\.\d+$/.test(name) && order(name) < order(turn))
    .sort((a, b) => order(a) - order(b));
}

function toIteration(turn: string): number {
  return Number.parseInt(turn, 10);
}

/** Reads a session and what it goes on with, back to where a summary stands for the rest. */
function readChain({ turnsDir, turn: begins }: SessionWish, turn: string): FoldedSession & Pick<SessionStart, 'withdrawn' | 'said'> {
  const texts: string[] = [];
  const seen = new Set<string>();
  for (let name: string | null = turn; name !== null && !seen.has(name); ) {
    seen.add(name);
    const text = readText(join(turnsDir, name, SESSION_FILE));
    texts.unshift(text);
    const { header, isWhole }: FoldedSession = foldTranscript(text, NO_MEMORY);
    name = isWhole ? null : (header?.follows ?? null);
  }
  let folded = foldTranscript('', NO_MEMORY);
  let withdrawn: readonly Publication[] = [];
  let said: readonly AssistantMessage[] = [];
  for (const text of texts) {
    folded = foldTranscript(text, { ...folded, messages: withoutOpenRequest(folded) });
    const { header, published } = folded;
    if (header?.isTakenUp !== true) [withdrawn, said] = [[], []];
    // What an earlier attempt of the same iteration published still stands.
    if (header === null || toIteration(header.turn) === toIteration(begins)) continue;
    withdrawn = [...withdrawn.filter(({ topic }) => !published.some((newer) => newer.topic === topic)), ...published];
    if (folded.said.length > 0) said = folded.said;
  }
  return { ...folded, withdrawn, said };
}

function readText(path: string): string {
  return tryOr(() => readFileSync(path, 'utf8'), '');
}

/** What the turn of a program always has. */
const PROGRAM_LOG = 'stdout.log';

/** Enough for a header with a few hundred tools, and for an end. */
const EDGE_BYTES = 32 * 1024;

interface Edges {
  readonly header: SessionHeader;
  readonly end: SessionEnd | null;
}

/**
 * The first and the last line of each turn's session, oldest turn first; `null` for a turn of a program. A turn that was killed before it began its
 * work is left out.
 */
function listEdges(wish: SessionWish): readonly (Edges | null)[] {
  return listTurns(wish).flatMap((turn) => {
    const folder = join(wish.turnsDir, turn);
    const edges = readSessionEdges(join(folder, SESSION_FILE));
    return edges === null && !existsSync(join(folder, PROGRAM_LOG)) ? [] : [edges];
  });
}

function readSessionEdges(path: string): Edges | null {
  const file = tryOr(() => openSync(path, 'r'), null);
  if (file === null) return null;
  try {
    const { size } = fstatSync(file);
    const first = readPiece(file, 0, Math.min(size, EDGE_BYTES));
    const header = parseLines(first.slice(0, first.indexOf('\n') + 1))[0];
    const start = Math.max(0, size - EDGE_BYTES);
    const last = readPiece(file, start, size - start).trimEnd();
    const end = parseLines(last.slice(last.lastIndexOf('\n') + 1))[0];
    return header?.type === 'session' ? { header, end: end?.type === 'end' ? end : null } : null;
  } finally {
    closeSync(file);
  }
}

function readPiece(file: number, position: number, length: number): string {
  const bytes = Buffer.alloc(length);
  return bytes.toString('utf8', 0, readSync(file, bytes, 0, length, position));
}

/** What people had told a turn when its process died, by the ids of their commands, as far as its session says. */
export function findTold(turnsDir: string, turn: string): { readonly ids: readonly string[]; readonly call: number } {
  const told = parseLines(readText(join(turnsDir, turn, SESSION_FILE))).flatMap((line) =>
    line.type === 'message' && Array.isArray(line.told) ? [{ ids: line.told.map(String), call: Number(line.call) || 0 }] : [],
  );
  return { ids: told.flatMap(({ ids }) => ids), call: told.at(-1)?.call ?? 0 };
}

/**
 * What the calls of one turn consumed, by its session: how a turn that was killed is charged. Never throws; nothing is known of a turn without one.
 *
 * @param turnsDir the folder with one folder for each turn of the run
 * @param turn `7.1`
 */
export function findSpent(turnsDir: string, turn: string): Usage {
  let spent = UNKNOWN_USAGE;
  for (const line of parseLines(readText(join(turnsDir, turn, SESSION_FILE)))) {
    if (line.type === 'usage') spent = addUsage(spent, line.usage);
  }
  return spent;
}
