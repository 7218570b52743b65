import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { propertyRuns } from '../../core/property-fixtures.ts';
import type { TurnRequest } from '../../ports/backend.ts';
import type { ModelMessage, ModelStep, ToolCallPart } from '../../ports/model.ts';
import { findTold } from '../session/find-session.ts';
import { createTurnWords } from '../session/turn-words.ts';
import type { CallOutcome } from '../tool/tool.ts';
import { runNativeTurn } from './run-native-turn.ts';
import { callAll, makeNativeAgent, makeTurn, say } from './turn-fixtures.ts';

let turnsDir: string;
beforeEach(() => {
  turnsDir = mkdtempSync(join(tmpdir(), 'ralph-interleavings-'));
});
afterEach(() => rmSync(turnsDir, { recursive: true, force: true }));

/** What happens in one history. */
interface History {
  /** For each answer of the model its calls: `look` may be made again after a crash, `change` may not. */
  readonly batches: readonly (readonly ('look' | 'change')[])[];
  /** A person speaks when the so-manieth thing happens: an answer of the model, or a call. */
  readonly tells: readonly number[];
  /** What is left of the session of each turn that is killed, from none of its lines (0) to all (1), and whether the next line is torn. */
  readonly kills: readonly { readonly share: number; readonly isTorn: boolean }[];
}

const HISTORIES: fc.Arbitrary<History> = fc.record({
  batches: fc.array(fc.array(fc.constantFrom('look', 'change'), { minLength: 1, maxLength: 4 }), { minLength: 1, maxLength: 4 }),
  tells: fc.array(fc.nat({ max: 12 }), { maxLength: 4 }),
  kills: fc.array(fc.record({ share: fc.double({ min: 0, max: 1, noNaN: true }), isTorn: fc.boolean() }), { maxLength: 4 }),
});

interface Played {
  /** What the model was asked last. */
  readonly seen: readonly ModelMessage[];
  /** What was said before that. */
  readonly due: ReadonlySet<string>;
  /** What counts as told. */
  readonly given: ReadonlySet<string>;
}

/** Plays a history as the loop does: what a killed turn was not told, the next one is told. */
async function play({ batches, tells, kills }: History): Promise<Played> {
  rmSync(turnsDir, { recursive: true });
  mkdirSync(turnsDir);
  const said = new Map<string, string>();
  const given = new Set<string>();
  let moment = 0;
  let seen: readonly ModelMessage[] = [];
  let due: ReadonlySet<string> = new Set();
  for (let turn = 1; turn <= kills.length + 1; turn += 1) {
    const words = createTurnWords();
    const put = (id: string): void => words.put({ id, text: said.get(id) ?? '', by: 'eve' });
    for (const id of said.keys()) if (!given.has(id)) put(id);
    const pass = (): void => {
      for (const [index, at] of tells.entries()) {
        const id = `t${index}`;
        if (at > moment || said.has(id)) continue;
        said.set(id, `(told ${index})`);
        put(id);
      }
      moment += 1;
    };
    const step = async (messages: readonly ModelMessage[]): Promise<ModelStep> => {
      seen = [...messages];
      due = new Set(said.keys());
      pass();
      const batch = messages.filter(({ role }) => role === 'assistant').length;
      const names = batches[batch];
      return names === undefined ? say('Done.') : withIds(callAll(...names), batch);
    };
    const call = async (name: string, _args: unknown, id = ''): Promise<CallOutcome> => {
      pass();
      await Promise.resolve();
      return { kind: 'ran', text: `${name} ran (result ${id})`, isError: false, messages: [`(hook ${id})`] };
    };
    const { tools, limits } = makeTurn([]).parts;
    const afterAll = async (calls: readonly ToolCallPart[]) => {
      const names = calls.map(({ id }) => id).join();
      return { hooks: [], notes: [`(note ${names})`], messages: [`(batch ${names})`], denied: null };
    };
    const agent = makeNativeAgent({
      limits: { ...limits, maxSteps: 100 },
      createModel: () => ({ label: 'test/model', step: ({ messages }) => step(messages) }),
      openTools: async () => ({ ...tools, call, afterAll }),
    });
    await runNativeTurn(agent, toRequest(turn), {
      begin: () => undefined,
      tell: () => undefined,
      signal: new AbortController().signal,
      words,
      givenUp: new Promise(() => undefined),
    });
    const kill = kills[turn - 1];
    if (kill !== undefined) cutOff(turn, kill);
    for (const id of findTold(turnsDir, `${turn}.1`).ids) given.add(id);
  }
  return { seen, due, given };
}

function withIds(step: ModelStep, batch: number): ModelStep {
  if (!step.ok) return step;
  const parts = step.message.parts.map((part, index) => (part.type === 'tool-call' ? { ...part, id: `${batch}.${index}` } : part));
  return { ...step, message: { ...step.message, parts } };
}

function toRequest(iteration: number): TurnRequest {
  const folder = join(turnsDir, `${iteration}.1`);
  mkdirSync(folder);
  const logs = { stdoutPath: join(folder, 'stdout.log'), stderrPath: join(folder, 'stderr.log') };
  const request = { turn: { iteration, attempt: 1 }, prompt: '(prompt)', cwd: turnsDir, env: {}, marker: '', logs, isAddressed: true };
  return request as unknown as TurnRequest;
}

/** The header stays: a session without it is that of a turn that never began. The end goes: a turn that has one was not killed. */
function cutOff(turn: number, { share, isTorn }: History['kills'][number]): void {
  const path = join(turnsDir, `${turn}.1`, 'session.jsonl');
  const lines = readFileSync(path, 'utf8').trimEnd().split('\n').slice(0, -1);
  const kept = 1 + Math.floor(share * (lines.length - 1));
  const torn = isTorn && kept < lines.length ? (lines[kept] ?? '').slice(0, 20) : '';
  writeFileSync(path, `${lines.slice(0, kept).join('\n')}\n${torn}`);
}

const countIn = (text: string, part: string): number => text.split(part).length - 1;

it('words of people and of hooks are with the model once, whatever was said and killed when', async () => {
  await fc.assert(
    fc.asyncProperty(HISTORIES, async (history) => {
      const { seen, due, given } = await play(history);
      const text = JSON.stringify(seen);
      // What is said while the last answer is awaited stays with the loop.
      for (const id of due) expect(given).toContain(id);
      for (const index of history.tells.keys()) expect(countIn(text, `(told ${index})`)).toBe(given.has(`t${index}`) ? 1 : 0);
      for (const [batch, names] of history.batches.entries()) {
        const ids = names.map((_, index) => `${batch}.${index}`);
        for (const id of ids) {
          const results = countIn(text, `(result ${id})`);
          expect(results).toBeLessThanOrEqual(1);
          expect(countIn(text, `(hook ${id})`), id).toBe(results);
        }
        const batches = countIn(text, `(batch ${ids.join()})`);
        expect(batches).toBeLessThanOrEqual(1);
        expect(countIn(text, `(note ${ids.join()})`)).toBe(batches);
        if (history.kills.length === 0) expect(batches).toBe(1);
      }
    }),
    { numRuns: propertyRuns(1000) },
  );
}, 120_000);
