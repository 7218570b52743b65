import { existsSync, readdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, test } from 'vitest';
import { defineScenarioSuite, loadScenario } from '../../src/testing/index.ts';

const FOLDER = fileURLToPath(new URL('.', import.meta.url));

/** Seed 003, step 11. */
const NAMED = [
  'solo_mode_complete',
  'multi_hat_delegation',
  'orphaned_event_fallback',
  'default_publishes',
  'hat_to_hat_direct',
  'mixed_backends',
  'completion_only_from_ralph',
];

describe('the folder of scenarios', () => {
  test.each(NAMED)('holds %s', (name) => {
    expect(existsSync(join(FOLDER, `${name}.yml`))).toBe(true);
  });

  test('names every scenario after its file, and says what it shows', () => {
    for (const file of readdirSync(FOLDER).filter((name) => name.endsWith('.yml'))) {
      const { name, description = '' } = loadScenario(join(FOLDER, file));
      expect(name).toBe(basename(file, '.yml'));
      expect(description).not.toBe('');
    }
  });
});

defineScenarioSuite(FOLDER, { describe, test, afterAll });
