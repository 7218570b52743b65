import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { RalphEvent } from '../core/events/event.ts';
import type { Input } from '../core/run/inputs.ts';

/** A folder on the real disk, removed when the test is over. */
export function createTemporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'ralph-journal-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

export function toInput(number: number): Input {
  return { type: 'timer-fired', at: 1_764_000_000_000 + number, timer: number };
}

export function toInputs(count: number): readonly Input[] {
  return Array.from({ length: count }, (_, index) => toInput(index + 1));
}

export function toEvent(topic: string, payload: RalphEvent['payload'] = ''): RalphEvent {
  return { id: 'e1', topic, payload, source: 'ralph', ts: 5, iteration: 1 };
}
