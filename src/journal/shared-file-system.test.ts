import { existsSync, linkSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { appendAgentLine } from './agent-line.ts';
import { createTemporaryFolder, toEvent } from './fixtures.ts';
import { createJsonlInbox } from './jsonl-inbox.ts';
import { createSharedFileSystem } from './shared-file-system.ts';

const SECRET = '{"topic":"secret"}\n{"topic":"to';

/** A workspace with an events file, and a file outside of it that Ralph could read and the agents could not. */
function openPlace() {
  const base = createTemporaryFolder();
  const [workspace, outside] = [join(base, 'work'), join(base, 'outside')];
  for (const folder of [join(workspace, '.agent'), outside]) mkdirSync(folder, { recursive: true });
  const secret = join(outside, 'events.jsonl');
  writeFileSync(secret, SECRET);
  const path = join(workspace, '.agent', 'events.jsonl');
  const fs = createSharedFileSystem(workspace);
  const inbox = createJsonlInbox({ fs, path, label: '.agent/events.jsonl' });
  return { base, workspace, outside, secret, path, fs, inbox };
}

type Place = ReturnType<typeof openPlace>;

function replaceFolder({ workspace }: Place, target: string): void {
  rmSync(join(workspace, '.agent'), { recursive: true });
  symlinkSync(target, join(workspace, '.agent'));
}

const ATTACKS: readonly (readonly [string, (place: Place) => void])[] = [
  ['a link to a file outside', ({ secret, path }) => symlinkSync(secret, path)],
  ['a second name of a file outside', ({ secret, path }) => linkSync(secret, path)],
  ['a link in the place of its folder', (place) => replaceFolder(place, place.outside)],
];

describe.each(ATTACKS)('where the events file is %s', (_what, attack) => {
  it('nothing is read, closed or written, and it is told once', () => {
    const place = openPlace();
    attack(place);
    expect(place.inbox.end()).toBe(0);
    const first = place.inbox.read(0, { final: true });
    expect(first.signals).toEqual([]);
    expect(first.problems).toEqual([
      { where: '.agent/events.jsonl', message: expect.stringMatching(/link.*; nothing is read or written there/), excerpt: '' },
    ]);
    expect(place.inbox.read(0, { final: true }).problems).toEqual([]);
    expect(readFileSync(place.secret, 'utf8')).toBe(SECRET);
  });

  it("an event of Ralph's own is not written, the next read tells, and nothing is thrown", () => {
    const place = openPlace();
    attack(place);
    place.inbox.append(toEvent('build.done'));
    expect(readFileSync(place.secret, 'utf8')).toBe(SECRET);
    expect(place.inbox.read(0, { final: true }).problems[0]?.message).toContain('an event could not be noted');
  });

  it('an event of a hat is refused in words', () => {
    const place = openPlace();
    attack(place);
    expect(() => appendAgentLine(place, { topic: 'a', payload: '', ts: 1 })).toThrow(
      expect.objectContaining({ code: 'events-file-not-a-file' }),
    );
    expect(readFileSync(place.secret, 'utf8')).toBe(SECRET);
  });
});

describe('a link that leads to nothing yet', () => {
  it.each(ATTACKS.filter(([what]) => what.startsWith('a link')))('makes no file there: %s', (_what, attack) => {
    const place = openPlace();
    rmSync(place.secret);
    attack(place);
    place.inbox.append(toEvent('build.done'));
    expect(() => appendAgentLine(place, { topic: 'a', payload: '', ts: 1 })).toThrow('symbolic link');
    expect(readdirSync(place.outside)).toEqual([]);
  });

  it('makes no folder there', () => {
    const place = openPlace();
    replaceFolder(place, place.outside);
    expect(() => place.fs.makeFolder(join(place.workspace, '.agent', 'sub'))).toThrow('symbolic link');
    expect(existsSync(join(place.outside, 'sub'))).toBe(false);
  });
});

describe('a file with its folder in their places', () => {
  it('is made, appended to and read, also where the workspace itself is reached by a link', () => {
    const { base, workspace } = openPlace();
    const link = join(base, 'link');
    symlinkSync(workspace, link);
    rmSync(join(workspace, '.agent'), { recursive: true });
    const path = join(link, '.agent', 'events.jsonl');
    const fs = createSharedFileSystem(link);
    appendAgentLine({ fs, path }, { topic: 'a', payload: '', ts: 1 });
    const inbox = createJsonlInbox({ fs, path, label: 'events' });
    expect(inbox.read(0, { final: true })).toMatchObject({ signals: [{ topic: 'a' }], problems: [] });
  });

  it('is held by itself where nobody knows the workspace', () => {
    const { secret, path } = openPlace();
    const fs = createSharedFileSystem(null);
    appendAgentLine({ fs, path }, { topic: 'a', payload: '', ts: 1 });
    rmSync(path);
    symlinkSync(secret, path);
    expect(() => appendAgentLine({ fs, path }, { topic: 'a', payload: '', ts: 1 })).toThrow('symbolic link');
  });
});
