import { expect, it } from 'vitest';
import { BACKEND_TYPES } from './backend-spec.ts';
import { isCostUnknown } from './cost-reports.ts';

it.each(['claude', 'opencode', 'pi', 'cline'] as const)('knows the cost of %s, which tells it', (type) => {
  expect(isCostUnknown({ type, model: 'any' }, [])).toBe(false);
});

it.each(['copilot', 'auggie', 'amp', 'kiro'] as const)('never knows the cost of %s, which tells nothing', (type) => {
  expect(isCostUnknown({ type, model: 'any' }, ['any'])).toBe(true);
});

it.each(['codex', 'gemini', 'qwen', 'acp'] as const)('knows the cost of %s by the price of its model', (type) => {
  expect(isCostUnknown({ type }, [])).toBe(true);
  expect(isCostUnknown({ type, model: 'gpt-6-mini' }, [])).toBe(true);
  expect(isCostUnknown({ type, model: 'gpt-6-mini' }, ['gpt-6'])).toBe(false);
  expect(isCostUnknown({ type, model: 'gpt-6-mini' }, ['gpt-7'])).toBe(true);
  // It may pick the one that is priced.
  expect(isCostUnknown({ type }, ['gpt-7'])).toBe(false);
});

it('takes a program of the user’s own as silent unless its stream is read', () => {
  expect(isCostUnknown({ type: 'custom' }, [])).toBe(true);
  expect(isCostUnknown({ type: 'custom', outputFormat: 'text' }, [])).toBe(true);
  expect(isCostUnknown({ type: 'custom', outputFormat: 'stream' }, [])).toBe(false);
});

it('says nothing of an agent that is not picked yet, and something of every other kind', () => {
  expect(isCostUnknown({ type: 'auto' }, [])).toBe(false);
  for (const type of BACKEND_TYPES) expect(typeof isCostUnknown({ type }, [])).toBe('boolean');
});

it('is known of the native agent where the model has a list price, dated snapshots among them', () => {
  expect(isCostUnknown({ type: 'native', model: 'claude-sonnet-4-5-20250929' }, [])).toBe(false);
  expect(isCostUnknown({ type: 'native', model: 'gpt-5-unheard' }, [])).toBe(true);
  expect(isCostUnknown({ type: 'native', model: 'gpt-5-unheard' }, ['gpt-5-unheard'])).toBe(false);
  expect(isCostUnknown({ type: 'codex', model: 'gpt-5' }, [])).toBe(true);
});
