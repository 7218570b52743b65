// A scripted stand-in for an AI agent: it reads its prompt as a real one does, makes real edits,
// and publishes with the same `ralph emit` that a real one uses. It has no model behind it.
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';

/** The prompt that Ralph wrote for this turn. */
export const prompt = readFileSync(0, 'utf8');

/** Says something, at a pace that a person can follow. */
export async function say(text) {
  await pause(250);
  process.stdout.write(`[scripted agent] ${text}\n`);
}

/** Publishes an event, as a real agent would with its shell tool. */
export function emit(topic, payload) {
  const done = spawnSync(process.env.RALPH_BIN, ['emit', topic, payload], { stdio: 'inherit' });
  if (done.status !== 0) process.exit(1);
}
