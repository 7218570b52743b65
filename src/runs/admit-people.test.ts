import { appendFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import type { Settings } from '../config/settings.ts';
import type { Sender } from '../core/events/event.ts';
import { createJsonlInbox } from '../journal/jsonl-inbox.ts';
import { nodeFileSystem } from '../journal/node-file-system.ts';
import { toRunPaths } from '../journal/run-folder.ts';
import { admitPeople } from './admit-people.ts';
import { ownRun, requirePerson } from './people.ts';

const FOLDER = mkdtempSync(join(tmpdir(), 'ralph-admit-'));
afterAll(() => rmSync(FOLDER, { recursive: true, force: true }));

const WAYS: readonly Sender['how'][] = ['terminal', 'token', 'namespace', 'program'];
let count = 0;

function open(who: Settings['externalEvents']) {
  count += 1;
  const path = join(FOLDER, `outside-${count}.jsonl`);
  const paths = toRunPaths(FOLDER, `run-${count}`);
  const inbox = createJsonlInbox({ fs: nodeFileSystem, path, label: 'outside.jsonl', hasSenders: true });
  const write = (topic: string, sender?: unknown) => appendFileSync(path, `${JSON.stringify({ topic, payload: 'x', sender })}\n`);
  return { paths, write, admission: admitPeople(inbox, who, paths) };
}

function toSender(how: Sender['how']): Sender {
  return { pid: 7, user: 'ann', how };
}

describe('what stands in the file of people', () => {
  it.each<[Settings['externalEvents'], readonly string[]]>([
    ['open', ['a.terminal', 'a.token', 'a.namespace', 'a.program']],
    ['terminal', ['a.terminal', 'a.program']],
    ['off', []],
  ])('is taken by the run itself as `external_events: %s` says, whoever wrote it: %j', (who, taken) => {
    const { admission, write } = open(who);
    for (const how of WAYS) write(`a.${how}`, toSender(how));
    write('a.nobody');
    const { signals, problems, offset } = admission.inbox.read(0, { final: false });
    expect(signals.map(({ topic }) => topic)).toEqual(taken);
    expect(problems).toEqual([
      {
        where: 'outside.jsonl',
        message: expect.stringMatching(
          new RegExp(`^${WAYS.length + 1 - taken.length === 1 ? 'an event was' : `${5 - taken.length} events were`} not taken`),
        ),
        excerpt: expect.stringContaining('a.nobody'),
      },
    ]);
    expect(admission.inbox.read(offset, { final: false })).toMatchObject({ signals: [], problems: [] });
  });

  it('is taken with `off` where the program that runs the run wrote it, once', () => {
    const { admission, write, paths } = open('off');
    const disown = ownRun(paths);
    const sender = requirePerson({} as never, paths, {});
    write('a.own', sender);
    write('a.copied', sender);
    const { signals, problems } = admission.inbox.read(0, { final: false });
    disown();
    expect(signals).toMatchObject([{ topic: 'a.own', sender: { how: 'program' } }]);
    expect(signals[0]?.sender).not.toHaveProperty('proof');
    expect(problems).toMatchObject([{ excerpt: 'a.copied' }]);
  });
});

describe('a change of the file by which people are known', () => {
  const token = (hash: string, by: unknown = toSender('terminal')) => ({ hash, by });
  const people = (tokens: readonly unknown[], more: object = {}) =>
    Buffer.from(JSON.stringify({ who: 'open', pidNamespace: 'pid:[1]', isIsolated: false, tokens, ...more }));
  const full = Array.from({ length: 20 }, (_, at) => token(`t${at}`));

  it.each<[string, Buffer, Buffer, boolean]>([
    ['a token more', people([token('a', null)]), people([token('a', null), token('b')]), true],
    ['a token more than are kept', people(full), people([...full.slice(1), token('new')]), true],
    ['a token of which nobody knows whose it is', people([]), people([token('b', null)]), false],
    ['another token in the place of one', people([token('a')]), people([token('b')]), false],
    ['one token less', people([token('a'), token('b')]), people([token('a')]), false],
    ['who may steer', people([]), people([token('b')], { who: 'terminal' }), false],
    ['the namespace', people([]), people([token('b')], { pidNamespace: 'pid:[2]' }), false],
    ['all of it', people([token('a')]), Buffer.from('{}'), false],
    ['a token where none counts', people([], { who: 'terminal' }), people([token('b')], { who: 'terminal' }), false],
  ])('that is %s is a person’s order or none', (_, before, now, isOrder) => {
    const { admission } = open('open');
    expect(admission.admitTokens(before, now)).toBe(isOrder);
    const told = isOrder ? [{ where: 'ralph token', message: 'a token of this run was given to ann, process 7, by terminal' }] : [];
    expect(admission.inbox.read(0, { final: false }).problems).toMatchObject(told);
  });
});

describe('a wish to stop', () => {
  it.each<[Settings['externalEvents'], Sender['how'] | null, boolean]>([
    ['open', 'token', true],
    ['open', null, false],
    ['terminal', 'terminal', true],
    ['terminal', 'token', false],
    ['off', 'terminal', false],
    ['off', 'program', false],
  ])('with `external_events: %s` by %s is followed: %s; if not, that is told once', (who, how, isFollowed) => {
    const { admission } = open(who);
    expect(admission.admitStop(how === null ? null : toSender(how))).toBe(isFollowed);
    expect(admission.inbox.hasMore(0)).toBe(!isFollowed);
    const told = isFollowed ? [] : [{ where: 'ralph stop', message: expect.stringContaining('was not followed') }];
    expect(admission.inbox.read(0, { final: false }).problems).toMatchObject(told);
    expect(admission.inbox.read(0, { final: false }).problems).toEqual([]);
  });
});
