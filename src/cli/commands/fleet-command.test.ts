import { describe, expect, it } from 'vitest';
import type { AppApi } from '../cli-command.ts';
import { performCommandLine } from '../command-line.ts';
import { createFakeContext } from '../fixtures.ts';

type Fleet = Awaited<ReturnType<AppApi['connectFleet']>>;
type WorkerState = Awaited<ReturnType<Fleet['workers']['list']>>[number];
type Lease = Awaited<ReturnType<Fleet['leases']['list']>>[number]['lease'];

const WORKER: WorkerState = { id: 'w', token: 't', labels: ['claude'], protocol: 1, slots: 2, busy: [], isDraining: false, silentMs: 1000 };
const LEASE: Lease = { run: 'r', epoch: 1, place: 'p', host: 'desk', state: 'held', lostAfterMs: 1000, title: 'Fix it' };

/** As far as the command looks into it. */
function fleetOf(workers: readonly WorkerState[], leases: readonly Lease[], hearing: readonly string[] = []): Partial<AppApi> {
  const fleet = {
    workers: { list: async () => workers, drain: async (id: string) => hearing.includes(id) },
    leases: { list: async () => leases.map((lease) => ({ lease, beat: 1 })) },
    close: async () => undefined,
  };
  return { connectFleet: async () => fleet as unknown as Fleet };
}

type Server = Awaited<ReturnType<AppApi['startFleetServer']>>;

const ENV = { RALPH_FLEET: 'nats://127.0.0.1:4222', XDG_CACHE_HOME: '/cache' };

async function type(args: readonly string[], app: Partial<AppApi>, during?: (signal: (name: 'SIGINT' | 'SIGTERM') => void) => void) {
  const fake = createFakeContext({ app, env: ENV });
  const done = performCommandLine(args, fake.context);
  during?.(fake.signal);
  const exitCode = await done;
  return { exitCode, out: fake.out(), err: fake.err() };
}

describe('ralph fleet', () => {
  it('shows workers and runs in one look, as ralph fleet status does, and each alone', async () => {
    const app = fleetOf([{ ...WORKER, id: 'w1' }], [{ ...LEASE, run: 'r1' }]);
    const both = await type(['fleet'], app);
    expect(both.out).toMatch(/w1 +idle +claude +0\/2[\s\S]*r1 +not ended +desk +Fix it/);
    // No column in which nothing stands.
    expect(both.out).not.toMatch(/works on|turns/);
    expect((await type(['fleet', 'status'], app)).out).toBe(both.out);
    const json = (await type(['fleet', '--format', 'json'], app)).out.trimEnd().split('\n');
    expect(json.map((line) => (JSON.parse(line) as { kind: string }).kind)).toEqual(['worker', 'run']);
    expect((await type(['fleet', 'workers'], app)).out).not.toContain('r1');
    expect((await type(['fleet', 'runs'], app)).out).not.toContain('w1');
    expect(await type(['fleet', 'constructor'], app)).toMatchObject({ exitCode: 2, err: expect.stringContaining('"constructor"') });
  });

  it('says in a line each that nobody is there and no run is kept, with what begins one, and prints nothing else', async () => {
    const app = fleetOf([], []);
    expect(await type(['fleet'], app)).toEqual({
      exitCode: 0,
      out: '',
      err: 'No worker is there. Start one: ralph worker\nThe fleet keeps no run. Start one: ralph run -p "The task" --fleet\n',
    });
    expect((await type(['fleet', 'workers', '--nats', 'nats://10.0.0.5:4222'], app)).err).toBe(
      'No worker is there. Start one where RALPH_FLEET says this address: ralph worker\n',
    );
    expect((await type(['fleet'], fleetOf([], [{ ...LEASE, run: 'r1' }]))).out).toMatch(/^run /);
  });

  it('says of a worker that it is at work or draining, and of a run which worker has it and its turns', async () => {
    const busy = [{ run: '20261127-aa', name: '3.1' }];
    const app = fleetOf(
      [
        { ...WORKER, id: 'w1', busy, isDraining: true },
        { ...WORKER, id: 'w2', busy },
      ],
      [
        { ...LEASE, run: '20261127-aa', worker: 'w9' },
        { ...LEASE, run: '20261127-bb', state: 'ended' },
      ],
    );
    expect((await type(['fleet', 'workers'], app)).out).toMatch(/w1 +draining +claude[\s\S]*w2 +at work +claude/);
    const one = await type(['fleet', 'runs', 'aa'], app);
    expect(one.out).toMatch(/20261127-aa +not ended +worker w9, desk +iteration 3 with w1; iteration 3 with w2 +Fix it\n$/);
    const json = JSON.parse((await type(['fleet', 'runs', '20261127-aa', '--format', 'json'], app)).out) as unknown;
    expect(json).toMatchObject({ kind: 'run', worker: 'w9', turns: [{ name: '3.1', worker: 'w1' }, { worker: 'w2' }] });
    expect(await type(['fleet', 'runs', 'zz'], app)).toMatchObject({ exitCode: 1, err: expect.stringContaining('no run zz') });
    expect(await type(['fleet', 'workers', 'w1'], app)).toMatchObject({ exitCode: 2, err: expect.stringContaining('takes no name') });
  });

  it('ends the worker of which the beginning or the end of its name is said, and names those that are there where it is none, or several', async () => {
    const names = ['desk-1a2b', 'desk-3c4d', 'rack'];
    const app = fleetOf(
      names.map((id) => ({ ...WORKER, id })),
      [],
      names,
    );
    for (const [wanted, name] of [
      ['rack', 'rack'],
      ['ra', 'rack'],
      ['4d', 'desk-3c4d'],
    ] as const)
      expect(await type(['fleet', 'drain', wanted], app)).toMatchObject({
        exitCode: 0,
        err: expect.stringContaining(`The worker ${name} takes`),
      });
    const several = await type(['fleet', 'drain', 'desk'], app);
    expect([several.exitCode, several.err]).toEqual([2, expect.stringMatching(/2 workers match desk[\s\S]*desk-1a2b, desk-3c4d/)]);
    const none = await type(['fleet', 'drain', 'shelf'], app);
    expect([none.exitCode, none.err]).toEqual([1, 'There is no worker shelf. Those that are there: desk-1a2b, desk-3c4d, rack.\n']);
    const deaf = await type(['fleet', 'drain', 'rack'], fleetOf([{ ...WORKER, id: 'rack' }], []));
    expect([deaf.exitCode, deaf.err]).toEqual([1, expect.stringContaining('did not hear it')]);
  });

  it('says of a worker since when nothing was heard of it, and of a round whose it is, by the name of the configuration', async () => {
    const busy = [
      { run: '20261127-aa', name: '7.1.2.1', agent: 'careful' },
      { run: '20261127-aa', name: '7.1.1.1' },
    ];
    const app = fleetOf([{ ...WORKER, id: 'w1', busy, silentMs: 14_300 }], [{ ...LEASE, run: '20261127-aa' }]);
    expect((await type(['fleet'], app)).out).toMatch(
      /w1 +silent for 14 s +claude[\s\S]*20261127-aa iteration 7, careful, round 1; 20261127-aa iteration 7, agent 1, round 1\n[\s\S]*iteration 7, careful, round 1 with w1/,
    );
  });

  it('says for programs, too, whether a worker heard that it is to drain', async () => {
    const app = fleetOf([WORKER], [], ['w']);
    expect(await type(['fleet', 'drain', 'w', '--format', 'json'], app)).toMatchObject({
      exitCode: 0,
      out: '{"v":1,"kind":"drain","worker":"w","isHeard":true}\n',
      err: '',
    });
    const unheard = await type(['fleet', 'drain', 'x.>', '--format', 'json'], app);
    expect([unheard.exitCode, JSON.parse(unheard.out)]).toEqual([1, { v: 1, kind: 'drain', worker: 'x.>', isHeard: false }]);
  });
});

describe('ralph fleet up', () => {
  const started = (ended: Promise<string>, close: () => void): Server => ({
    ...{
      kind: 'started',
      url: 'nats://ralph:p@127.0.0.1:4300',
      pid: 7,
      home: '/cache/ralph/fleet-server',
      program: '/usr/sbin/nats-server',
    },
    ...{ version: '2.9.10', syncsAlways: false, ended, close: async () => close() },
  });

  it('says the address on standard output alone, waits until Ctrl+C, and ends the server', async () => {
    const done: string[] = [];
    const startFleetServer: AppApi['startFleetServer'] = async ({ home }) => {
      done.push(home);
      return started(new Promise(() => undefined), () => done.push('closed'));
    };
    const result = await type(['fleet', 'up'], { startFleetServer }, (signal) => setTimeout(() => signal('SIGINT'), 20));
    expect(result).toMatchObject({ exitCode: 0, out: "export RALPH_FLEET='nats://ralph:p@127.0.0.1:4300'\n" });
    expect(result.err).toContain('ralph worker');
    expect(done).toEqual(['/cache/ralph/fleet-server', 'closed']);
  });

  it('says that a server runs already, and where, and starts nothing', async () => {
    const running = { kind: 'running', url: 'nats://ralph:p@127.0.0.1:4300', pid: 8, home: '/elsewhere' } as const;
    const result = await type(['fleet', 'up', '--home', '/elsewhere'], { startFleetServer: async () => running });
    expect(result).toMatchObject({ exitCode: 0, out: expect.stringContaining('127.0.0.1:4300') });
    expect(result.err).toMatch(/Process 8 .*\/elsewhere: nothing was started/);
  });

  it('fails with the last words of a server that ends by itself', async () => {
    const startFleetServer: AppApi['startFleetServer'] = async () => started(Promise.resolve('no space left'), () => undefined);
    expect(await type(['fleet', 'up'], { startFleetServer })).toMatchObject({ exitCode: 1, err: expect.stringContaining('no space left') });
  });

  it('looks at the server that is named instead, and fails where something is missing', async () => {
    const asked: string[] = [];
    const checkServer: AppApi['checkServer'] = async ({ url }) => {
      asked.push(url);
      return [
        { state: 'good', text: 'it answers' },
        { state: 'bad', text: 'it has no JetStream', fix: 'jetstream {}' },
      ];
    };
    const result = await type(['fleet', 'up', '--nats', 'nats://10.0.0.5:4222'], { checkServer });
    expect(result).toMatchObject({ exitCode: 1, out: '✓ it answers\n✗ it has no JetStream\n    jetstream {}\n' });
    expect(asked).toEqual(['nats://10.0.0.5:4222']);
    expect(await type(['fleet', 'up', 'more'], { checkServer })).toMatchObject({ exitCode: 2 });
  });
});
