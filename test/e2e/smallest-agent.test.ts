import { chmodSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { listBlocks } from '../contract/markdown-pages.ts';
import { withPlace } from './processes.ts';
import { ralph } from './ralph.ts';

/** The first program of the guide, and the configuration that stands before it. */
const BLOCKS = listBlocks('docs/guide/agents.md');
const at = BLOCKS.findIndex(({ language }) => language === 'sh');
const [config, agent] = [BLOCKS[at - 1], BLOCKS[at]];

test.each([
  ['green, ends complete after one turn', 'exit 0', 0, 'Completed'],
  ['red, goes on until the limit', 'exit 1', 1, 'The tests fail.'],
])('the smallest agent of the guide, as it is printed, where the tests are %s', async (_, tests, code, words) => {
  await withPlace({}, async (folder) => {
    expect([config?.language, agent?.language]).toEqual(['yaml', 'sh']);
    writeFileSync(join(folder, 'package.json'), JSON.stringify({ scripts: { test: tests } }));
    writeFileSync(join(folder, 'ralph.yml'), config?.text ?? '');
    writeFileSync(join(folder, 'agent.sh'), agent?.text ?? '');
    chmodSync(join(folder, 'agent.sh'), 0o755);
    const run = await ralph(folder, ['run', '-p', 'Make the tests pass.', '--max-iterations', '5']);
    expect(run.code === 0 ? 0 : 1, run.stdout + run.stderr).toBe(code);
    expect(run.stdout.replace(/\s+/g, ' ')).toContain(words);
    expect(readFileSync(join(folder, 'agent.sh'), 'utf8')).toContain('LOOP_COMPLETE');
  });
});
