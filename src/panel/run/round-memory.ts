import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isSessionId } from '../../core/backends/session-id.ts';
import { endOf } from '../../core/text/shorten.ts';
import { listChanged } from '../share/list-changed.ts';
import { renderDigest } from './round-prompt.ts';

/** What a round leaves for the next one of the same agent, in its folder. */
const [SESSION, WORDS, REFUSAL] = ['session-id', 'last-words.txt', 'refusal.txt'];
const MAX_WORDS = 1500;

function toRoundFolder(turns: string, round: number): string {
  return join(turns, `${round}.1`);
}

/** At once, so that a process after this one can go on with the conversation. */
export function noteSession(folder: string, session: string): void {
  if (isSessionId(session)) writeNote(join(folder, SESSION), session);
}

/** What failed may be the conversation itself: the next round begins anew. */
export function noteRoundEnd(folder: string, said: string, isFailed: boolean): void {
  if (isFailed) rmSync(join(folder, SESSION), { force: true });
  if (said !== '') writeNote(join(folder, WORDS), endOf(said, MAX_WORDS));
}

/** Why what was handed in last was not taken: where a round ends with that, nobody else tells the agent. */
export function noteRefusal(folder: string, text: string): void {
  if (text !== '') writeNote(join(folder, REFUSAL), text);
}

/** Why nothing was taken in the round before; empty where nothing was handed in. */
export function readRefusal(turns: string, round: number): string {
  return readText(join(toRoundFolder(turns, round - 1), REFUSAL)).trim();
}

function writeNote(path: string, text: string): void {
  try {
    writeFileSync(path, text, { mode: 0o600 });
  } catch {
    // A round without a memory begins anew.
  }
}

/** The conversation of the round before; `null` for none. */
export function readSession(turns: string, round: number): string | null {
  const session = readText(join(toRoundFolder(turns, round - 1), SESSION)).trim();
  return isSessionId(session) ? session : null;
}

/** What an agent did before a round, in at most 1,500 characters; empty for nothing. Never rejects. */
export async function readDigest(place: { readonly cwd: string; readonly turns: string }, round: number): Promise<string> {
  if (round < 2) return '';
  const changed = await listChanged(place.cwd).catch(() => []);
  return renderDigest(changed, readText(join(toRoundFolder(place.turns, round - 1), WORDS)).trim());
}

function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
