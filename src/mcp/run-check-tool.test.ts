import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createRunCheckTool } from './run-check-tool.ts';

/** A tool, and the commands that it ran. */
function makeTool(commands: readonly string[], exitCode: number | null = 0) {
  const ran: string[] = [];
  const tool = createRunCheckTool(commands, async (command) => {
    ran.push(command);
    return { exitCode, output: 'what it said\n' };
  });
  return { tool, ran };
}

test('a command of the list runs as it stands, and its output and exit code are the result', async () => {
  const { tool, ran } = makeTool(['npm test', 'npm run lint']);
  expect(await tool.call({ command: 'npm run lint' })).toEqual({ text: '$ npm run lint\nwhat it said\nExit code: 0', isError: false });
  expect(ran).toEqual(['npm run lint']);
});

test('a failing command, and one that did not end by itself, are errors to the model', async () => {
  expect(await makeTool(['npm test'], 3).tool.call({})).toMatchObject({ text: expect.stringContaining('Exit code: 3'), isError: true });
  expect(await makeTool(['npm test'], null).tool.call({})).toMatchObject({
    text: expect.stringContaining('did not end by itself'),
    isError: true,
  });
});

test('the only command needs no name; of several one must be named', async () => {
  const one = makeTool(['npm test']);
  await one.tool.call({});
  expect(one.ran).toEqual(['npm test']);
  const two = makeTool(['npm test', 'npm run lint']);
  expect(await two.tool.call({})).toMatchObject({ isError: true });
  expect(two.ran).toEqual([]);
});

test('nothing that is not on the list, letter for letter, ever runs', async () => {
  const commands = ['npm test', 'tsc -p . && vitest run "a b"'];
  const ending = fc.constantFrom(' ', ' --node-options=--import=x', ' > file', '; touch x', ' $(touch x)', '\n', '\0');
  const wanted = fc.oneof(
    fc.string(),
    fc.jsonValue(),
    fc.tuple(fc.constantFrom(...commands), ending).map((parts) => parts.join('')),
    fc.constantFrom(...commands),
  );
  await fc.assert(
    fc.asyncProperty(wanted, async (command) => {
      const { tool, ran } = makeTool(commands);
      const { isError } = await tool.call({ command: command as string });
      expect(ran).toEqual(commands.filter((known) => known === command));
      expect(isError).toBe(ran.length === 0);
    }),
  );
});
