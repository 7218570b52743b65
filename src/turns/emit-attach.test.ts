import { expect, test } from 'vitest';
import { parseJson } from '../core/values/json.ts';
import { attachEmit, type EmitAttachment } from './emit-attach.ts';

const ATTACHMENT: EmitAttachment = {
  cli: 'claude',
  command: '/r/bin/ralph',
  place: { hat: 'critic', eventsFile: '/w/.agent/events.jsonl', contractFile: '/r/contract.json' },
  isAlone: false,
  tools: [],
  checks: [],
  folder: '/w',
};

function argsOf(changes: Partial<EmitAttachment>): unknown {
  const config = attachEmit({ ...ATTACHMENT, ...changes }, '/private')?.args.at(-1) ?? '';
  return parseJson(config);
}

test('the server is told of its hat and its files, and of more tools only where there are some', () => {
  const place = ['mcp', '--hat', 'critic', '--events', '/w/.agent/events.jsonl', '--contract', '/r/contract.json'];
  expect(argsOf({})).toMatchObject({ mcpServers: { ralph: { args: place } } });
  expect(argsOf({ tools: ['read_events', 'ask_person'], checks: ['npm test'] })).toMatchObject({
    mcpServers: { ralph: { args: [...place, '--tools', 'emit_event,ask_person,read_events', '--folder=/w', '--check=npm test'] } },
  });
});

test('a CLI without MCP is told of each tool as the server would', () => {
  const [file] = attachEmit({ ...ATTACHMENT, cli: 'pi', tools: ['ask_person', 'list_hats'] }, '/private')?.files ?? [];
  expect(file?.content).toContain('"name":"ask_person"');
  expect(file?.content).toContain('"deadline_seconds"');
  expect(file?.content).not.toContain('"name":"list_hats"');
});
