import { appendFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { toRunPaths } from '../journal/run-folder.ts';
import { alignSteering, openSteering, writeSteering } from './steering.ts';

const stateDir = mkdtempSync(join(tmpdir(), 'ralph-steering-'));
afterAll(() => rmSync(stateDir, { recursive: true, force: true }));
const paths = { ...toRunPaths(stateDir, 'run-1'), folder: stateDir };
const sender = { pid: 7, user: 'ann', how: 'terminal' } as const;

it('what a person leaves is read once, whole, and without the proof by which they are known', () => {
  const steering = openSteering(paths, ({ proof: _, ...known }) => known);
  writeSteering(paths, { kind: 'tell', id: 'c1', text: 'use the\nold API', to: null, when: 'now', sender: { ...sender, proof: 'p' } });
  writeSteering(paths, { kind: 'answer', id: 'c2', question: 'q1', choice: 'yes', sender });
  const { words, offset } = steering.read(0);
  expect(words.map(({ word }) => word)).toEqual([
    { kind: 'tell', id: 'c1', text: 'use the\nold API', to: null, when: 'now', sender },
    { kind: 'answer', id: 'c2', question: 'q1', choice: 'yes', sender },
  ]);
  expect([steering.read(words[0]?.offset ?? 0).words.length, steering.read(offset).words]).toEqual([1, []]);
});

it('what is no word of anybody is passed over, and so is whom the run does not admit', () => {
  const from = openSteering(paths, () => null).read(0).offset;
  const good = { kind: 'tell', id: 'c3', text: 'x', to: 'builder', when: 'interrupt', sender };
  const lines = [
    'no json',
    '7',
    JSON.stringify({ ...good, sender: { ...sender, how: 'magic' } }),
    JSON.stringify({ ...good, text: ' ' }),
    JSON.stringify({ ...good, id: 7 }),
    JSON.stringify({ ...good, kind: 'other' }),
    JSON.stringify({ kind: 'answer', id: 'c4', question: 'q1', sender }),
    JSON.stringify({ ...good, when: 'whenever', text: 'y'.repeat(50_000) }),
    JSON.stringify(good),
  ];
  appendFileSync(join(stateDir, 'steering.jsonl'), lines.map((line) => `${line}\n`).join(''));
  const heard = openSteering(paths, (known) => known)
    .read(from)
    .words.map(({ word }) => word);
  expect(heard).toEqual([{ ...good, when: 'now', text: 'y'.repeat(20_000) }, good]);
  expect(openSteering(paths, () => null).read(from).words).toEqual([]);
});

describe('a run that goes on in another folder', () => {
  const away = (name: string) => ({ ...paths, folder: mkdtempSync(join(stateDir, name)) });
  const tell = (id: string, text: string) => ({ kind: 'tell', id, text, to: null, when: 'now', sender }) as const;

  it.each([1, 150, 400, 300_000])('hears there what is said from then on, however far it had read before (%i bytes)', (read) => {
    const there = away('away-');
    alignSteering(there, read);
    writeSteering(there, tell('c1', 'x'.repeat(200)));
    expect(
      openSteering(there, (known) => known)
        .read(read)
        .words.map(({ word }) => word.id),
    ).toEqual(['c1']);
  });

  it('hears at home what was said here meanwhile and nobody has heard', () => {
    const home = away('home-');
    writeSteering(home, tell('c1', 'heard before'));
    const before = openSteering(home, (known) => known).read(0).offset;
    writeSteering(home, tell('c2', 'said while it was elsewhere'));
    alignSteering(home, before + 1000);
    const heard = openSteering(home, (known) => known).read(before + 1000);
    expect(heard.words.map(({ word }) => word.id)).toContain('c2');
  });
});
