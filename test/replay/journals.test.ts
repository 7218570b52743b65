/**
 * Law 9: old journals replay for ever. Each journal in fixtures/journals was written by a released or about-to-be-released Ralph and is never changed;
 * beside it stands what was decided on each of its inputs.
 *
 * `RECORD_JOURNALS=1 npx vitest run --project replay` records those of the list that are missing. A journal that replays differently is no
 * reason to record it again: the changed decision becomes a named flag in `run-started`.
 */

import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import type { Effect } from '../../src/core/run/effects.ts';
import type { Input } from '../../src/core/run/inputs.ts';
import { EFFECT_TYPES, INPUT_TYPES } from '../../src/core/run/kinds-fixtures.ts';
import type { RunState } from '../../src/core/run/state.ts';
import { nodeFileSystem as fs, readJournal } from '../../src/journal/index.ts';
import { createJournalFold } from '../../src/loop/decide/index.ts';
import { createRunViewFold } from '../../src/views/fold/index.ts';
import { keepJournal, recordJournal } from './record-journal.ts';

const FOLDER = fileURLToPath(new URL('../../fixtures/journals/', import.meta.url));
const RECORD = process.env['RECORD_JOURNALS'] === '1';
/** Scenarios whose runs are recorded: together they meet every input and every effect. */
const SCENARIOS = [
  'checkpoint_branch',
  'completion_only_from_ralph',
  'cooldown',
  'default_publishes',
  'events_from_outside',
  'fanout',
  'gate_blocks_build',
  'gate_refuses_completion',
  'hat_transition',
  'limit_max_runtime',
  'loop_oscillation',
  'max_activations',
  'mode_multi',
  'mode_single',
  'recovery_hat',
  'required_events',
  'resume_after_interrupt',
  'resume_after_kill',
  'scope_violation_twice',
  'stalled',
  'targets',
  'transient_errors',
  'usage_limit_switch',
  'workspace_gone',
];
/** Runs that were played by hand: steered by a person, with hooks of its events; and of a panel that was killed in its midst. `JOURNAL=<its journal.jsonl> FOLDER=<where it ran>` records it. */
const BY_HAND = ['steering', 'panel'];
/** Asked for by agents that stop at a limit of cost in the midst of a turn; none of the recorded scenarios has one. */
const UNRECORDED = 'usage-reported';

interface Replay {
  readonly inputs: readonly Input[];
  readonly decisions: readonly (readonly Effect[])[];
  readonly state: RunState;
}

function replay(name: string): Replay {
  const fold = createJournalFold();
  const inputs: Input[] = [];
  const decisions: (readonly Effect[])[] = [];
  const { damage } = readJournal({ fs, path: `${FOLDER}${name}.jsonl` }, (entry) => {
    inputs.push(entry.input);
    decisions.push(fold.take(entry));
  });
  expect(damage).toBeNull();
  return { inputs, decisions, state: fold.run().state };
}

/** Words for people may become better ones; what was decided may not. */
function withoutWords(value: unknown): unknown {
  const words = (key: string, part: unknown): unknown =>
    typeof part === 'string' && (key === 'detail' || key === 'text' || key === 'why') && / /.test(part) ? undefined : part;
  return JSON.parse(JSON.stringify(value, words));
}

/** One line for what followed from each input, and one for the state at the end. */
function readDecisions(name: string): readonly unknown[] {
  const lines = readFileSync(`${FOLDER}${name}.decisions.jsonl`, 'utf8').trimEnd().split('\n');
  return lines.map((line) => JSON.parse(line) as unknown);
}

function writeDecisions(name: string): void {
  const path = `${FOLDER}${name}.decisions.jsonl`;
  if (existsSync(path)) return;
  const { decisions, state } = replay(name);
  writeFileSync(path, [...decisions, state].map((value) => `${JSON.stringify(withoutWords(value))}\n`).join(''));
}

if (RECORD) {
  test.each(BY_HAND)('record %s, which was played by hand', (name) => {
    const { JOURNAL: journal, FOLDER: folder = '' } = process.env;
    if (journal !== undefined) keepJournal(journal, folder, `${FOLDER}${name}.jsonl`);
    writeDecisions(name);
    expect(existsSync(`${FOLDER}${name}.decisions.jsonl`)).toBe(true);
  });
  test.each(SCENARIOS)('record %s', async (name) => {
    await recordJournal(name, `${FOLDER}${name}.jsonl`);
    writeDecisions(name);
    expect(existsSync(`${FOLDER}${name}.decisions.jsonl`)).toBe(true);
  });
}

const JOURNALS = readdirSync(FOLDER)
  .filter((name) => name.endsWith('.jsonl') && !name.endsWith('.decisions.jsonl'))
  .map((name) => name.replace('.jsonl', ''));

test.each(JOURNALS)('law 9: the old journal %s replays: the same effects follow from each of its inputs, and the same state', (name) => {
  const { decisions, state } = replay(name);
  const recorded = readDecisions(name);
  expect(decisions).toHaveLength(recorded.length - 1);
  for (const [index, effects] of decisions.entries()) {
    expect(withoutWords(effects), `what follows from input ${index + 1} of ${name}`).toMatchObject(recorded[index] as object);
  }
  // Later versions may know more of a run than the one that recorded it, but nothing else.
  expect(withoutWords(state)).toMatchObject(recorded.at(-1) as object);
});

test.each(JOURNALS)('a report of %s counts the iterations as their limit does, after each input', (name) => {
  const fold = createJournalFold();
  const view = createRunViewFold();
  readJournal({ fs, path: `${FOLDER}${name}.jsonl` }, (entry) => {
    const effects = fold.take(entry);
    view.take({ kind: 'input', seq: entry.seq, input: entry.input });
    for (const effect of effects) view.take({ kind: 'effect', seq: entry.seq, at: entry.input.at, effect });
    const { counted } = fold.run().state.counters;
    expect([view.view().totals.iterations, view.progress().iterations], `after input ${entry.seq}`).toEqual([counted, counted]);
  });
});

test('law 9: the old journals have every kind of input, and every kind of effect follows from them', () => {
  expect(JOURNALS).toEqual(expect.arrayContaining([...SCENARIOS, ...BY_HAND]));
  const runs = JOURNALS.map(replay);
  expect([...new Set(runs.flatMap(({ inputs }) => inputs.map((input) => input.type)))].sort()).toEqual(
    INPUT_TYPES.filter((type) => type !== UNRECORDED),
  );
  expect([...new Set(runs.flatMap(({ decisions }) => decisions.flat().map((effect) => effect.type)))].sort()).toEqual(EFFECT_TYPES);
});

test('law 9: the flags of every old journal are known, so that no decision is replayed otherwise than it was made', () => {
  const known: readonly string[] = [];
  const flags = JOURNALS.flatMap((name) => {
    const first = replay(name).inputs[0];
    return first?.type === 'run-started' ? first.flags : ['the journal does not begin with run-started'];
  });
  expect(flags.filter((flag) => !known.includes(flag))).toEqual([]);
});
