import { describe, expect, it } from 'vitest';
import { END_REASONS } from '../../core/run/end-reasons.ts';
import { performCommandLine } from '../command-line.ts';
import { createFakeContext } from '../fixtures.ts';

async function explain(...args: readonly string[]) {
  const fake = createFakeContext();
  const exitCode = await performCommandLine(['explain', ...args], fake.context);
  return { exitCode, out: fake.out(), err: fake.err() };
}

describe('ralph explain', () => {
  it('prints the page of a rule', async () => {
    const { exitCode, out } = await explain('event-orphan');
    expect(exitCode).toBe(0);
    expect(out).toMatch(/^# event-orphan\n\nSeverity: error\n/);
    for (const heading of ['What', 'Why', 'Wrong', 'Right']) expect(out).toContain(`\n## ${heading}\n`);
  });

  it('prints the line of an error that has no page, and takes brackets', async () => {
    expect((await explain('[no-runs]')).out).toMatch(/^# no-runs\n\nKind: exit code 1\n\nThere is no run .*\n\nWhat to do: .*\n$/);
  });

  it('prints several', async () => {
    expect((await explain('hats-empty', 'key-unknown')).out.match(/^# /gm)).toHaveLength(2);
  });

  it('lists all codes, each once, in order', async () => {
    const codes = (await explain()).out
      .trimEnd()
      .split('\n')
      .slice(1)
      .map((line) => line.split(' ')[0]);
    expect(codes.length).toBeGreaterThan(80);
    expect(codes).toEqual([...new Set(codes)].sort());
    expect(codes).toContain('event-orphan');
  });

  it('gives programs one object a line', async () => {
    const { out } = await explain('hats-empty', '--format', 'json');
    expect(JSON.parse(out)).toMatchObject({ v: 1, code: 'hats-empty', kind: 'error', page: expect.stringContaining('# hats-empty') });
  });

  it('tells how a run ends: what the reason means, the exit code and what to do', async () => {
    expect((await explain('parked')).out).toBe(
      '# parked\n\nKind: end of a run, exit code 2\n\nThe run waits for what it cannot bring about: the reset of a usage limit, or a person.\n\nWhat to do: Go on then with `ralph resume`.\n',
    );
    expect((await explain('completed')).out).toMatch(/exit code 0[\s\S]*What to do: Nothing\.\n$/);
    for (const reason of Object.keys(END_REASONS)) expect(await explain(reason)).toMatchObject({ exitCode: 0, err: '' });
    expect((await explain('max_iteration')).err).toContain('Did you mean `ralph explain max_iterations`?');
    expect((await explain()).out).toMatch(/^gate_refused +end of a run, exit code 1 +/m);
  });

  it('names the nearest code, and never reads another file', async () => {
    expect(await explain('event-orfan')).toMatchObject({
      exitCode: 2,
      err: expect.stringContaining('Did you mean `ralph explain event-orphan`?'),
    });
    expect(await explain('../commands')).toMatchObject({ exitCode: 2, err: expect.stringContaining('There is no code "../commands".') });
  });
});
