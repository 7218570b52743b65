import { describe, expect, it } from 'vitest';
import { toConfigRequest } from './options.ts';

const ask = (options: Parameters<typeof toConfigRequest>[1]) => toConfigRequest({ cwd: '/work', env: {} }, options);

describe('the agent that a command line names', () => {
  it('is a backend by its name', () => {
    expect(ask({ backend: 'codex' })).toMatchObject({ flags: { backend: 'codex' }, assignments: [] });
  });

  it('is a program by its path, after what -c says', () => {
    const { flags, assignments } = ask({ backend: './my agent.sh', config: ['cli.model=opus'] });
    expect(flags).toEqual({});
    expect(assignments).toEqual(['cli.model=opus', 'cli.backend=custom', 'cli.command="./my agent.sh"']);
  });
});
