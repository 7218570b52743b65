import { fileURLToPath } from 'node:url';
import { describe, test } from 'vitest';
import { defineScenarioSuite } from '../../src/testing/index.ts';

defineScenarioSuite(fileURLToPath(new URL('.', import.meta.url)), { describe, test });
