import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { BackendEvent } from '../core/backends/backend-event.ts';
import type { RunRecord } from '../core/run/run-record.ts';
import { openLiveFile, readLiveFile } from './live-file.ts';

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'ralph-live-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

/** A clock whose timers fire when the test says so. */
function createClock() {
  const timers = new Set<() => void>();
  const clock = { at: 1000, now: () => clock.at };
  const setTimer = (_dueAt: number, fire: () => void) => {
    timers.add(fire);
    return () => void timers.delete(fire);
  };
  const fire = (): void => {
    for (const timer of [...timers]) {
      timers.delete(timer);
      timer();
    }
  };
  return { clock, port: { now: clock.now, setTimer }, fire };
}

const TURN = { iteration: 2, attempt: 1 };
const START: RunRecord = {
  kind: 'effect',
  seq: 1,
  at: 1000,
  effect: {
    type: 'iteration-start',
    ...TURN,
    hat: 'builder',
    backend: 0,
    events: [],
    feedback: [],
    fallback: null,
    timeoutMs: 9,
    idleTimeoutMs: 900,
  },
};
const live = (event: BackendEvent): RunRecord => ({ kind: 'live', ...TURN, hat: 'builder', event });

describe('the file of what goes on', () => {
  it('says the running tool call and the time of the last output, and is gone with the run', () => {
    const { clock, port, fire } = createClock();
    const file = openLiveFile(folder, port);
    file.observe(START);
    clock.at = 3000;
    file.observe(live({ type: 'tool-start', id: 't', name: 'Bash', summary: 'npm test' }));
    expect(readLiveFile(folder)).toBeNull();
    fire();
    const tools = [{ id: 't', name: 'Bash', summary: 'npm test', since: 3000 }];
    expect(readLiveFile(folder)?.turn).toMatchObject({
      ...TURN,
      hat: 'builder',
      startedAt: 1000,
      lastOutputAt: 3000,
      idleTimeoutMs: 900,
      tools,
    });
    file.close();
    expect(readdirSync(folder)).toEqual([]);
  });

  it('stays small, whatever an agent does', () => {
    const { port, fire } = createClock();
    const file = openLiveFile(folder, port);
    file.observe(START);
    for (let index = 0; index < 10_000; index += 1)
      file.observe(live({ type: 'tool-start', id: `${index}${'z'.repeat(5000)}`, name: 'x'.repeat(5000), summary: 'y'.repeat(5000) }));
    fire();
    expect(statSync(join(folder, 'live.json')).size).toBeLessThan(16_000);
    expect(readLiveFile(folder)?.turn?.tools).toHaveLength(32);
  });

  it('is nothing where it cannot be read', () => {
    for (const text of ['', '{', '[]', 'null', '{"turn": 7, "gates": {"gates": "x"}}', '{"turn": {"iteration": "1"}}']) {
      writeFileSync(join(folder, 'live.json'), text);
      expect(readLiveFile(folder)?.turn ?? null).toBeNull();
    }
  });

  it('costs a run nothing where it cannot be written', () => {
    const { port, fire } = createClock();
    const file = openLiveFile(join(folder, 'gone'), port);
    file.observe(START);
    fire();
    file.close();
    expect(readLiveFile(join(folder, 'gone'))).toBeNull();
  });
});
