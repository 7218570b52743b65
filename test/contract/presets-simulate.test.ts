import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { type SimulationReport, simulateTeam } from '../../src/simulate/index.ts';
import type { Topology } from '../../src/topology/routing/index.ts';
import { checkConfig } from '../../src/validation/index.ts';

const FOLDER = fileURLToPath(new URL('../../presets', import.meta.url));
const PRESETS = readdirSync(FOLDER).filter((name) => name.endsWith('.yml'));

function loadPreset(file: string): ReturnType<typeof checkConfig> {
  return checkConfig({ cwd: FOLDER, configFiles: [join(FOLDER, file)], prompt: 'optional' });
}

function play(file: string): SimulationReport {
  return simulateTeam(loadPreset(file).topology as Topology);
}

test('there are presets to be played', () => {
  expect(PRESETS.length).toBeGreaterThanOrEqual(13);
});

describe.each(PRESETS)('presets/%s', (file) => {
  test('validates without a finding of any severity', () => {
    expect(loadPreset(file).diagnostics.map(({ code, message }) => `${code}: ${message}`)).toEqual([]);
  });

  test('completes in 99.6 % of 1,000 simulated runs within its own limits, and uses every hat', () => {
    const report = play(file);
    expect(report).toMatchObject({ runs: 1000, canComplete: true, withoutFaults: { canComplete: true }, neverUsed: [], dumb: [] });
    expect(report.completed.share).toBeGreaterThanOrEqual(0.996);
    // An event that no hat takes is a failure, for which Ralph steps in, or he coordinates.
    if (report.coordination === 'hats') expect(report.untaken.filter(({ source }) => source !== 'system')).toEqual([]);
  });
});
