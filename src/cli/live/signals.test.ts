import { describe, expect, it } from 'vitest';
import { createFakeContext } from '../fixtures.ts';
import { catchSignals } from './signals.ts';

describe('catchSignals', () => {
  it('hands over what came before the run was there', () => {
    const { context, signal } = createFakeContext();
    const stops: string[] = [];
    const signals = catchSignals(context.signals);
    signal('SIGHUP');
    signal('SIGINT');
    signals.attach((how) => stops.push(how));
    signal('SIGINT');
    expect(stops).toEqual(['hangup', 'interrupt', 'kill']);
  });

  it('ends the command at a second Ctrl+C while there is no run yet', () => {
    const { context, signal } = createFakeContext();
    let deaths = 0;
    catchSignals(context.signals, () => {
      deaths += 1;
    });
    signal('SIGINT');
    expect(deaths).toBe(0);
    signal('SIGINT');
    signal('SIGINT');
    expect(deaths).toBe(1);
  });

  it('keeps a second Ctrl+C for the run, where the command has others under way', () => {
    const { context, signal } = createFakeContext();
    const stops: string[] = [];
    const signals = catchSignals(context.signals, null);
    signal('SIGINT');
    signal('SIGINT');
    signals.attach((how) => stops.push(how));
    expect(stops).toEqual(['interrupt', 'kill']);
  });

  it('gives the signals back', () => {
    const { context, signal } = createFakeContext();
    const stops: string[] = [];
    const signals = catchSignals(context.signals);
    signals.attach((how) => stops.push(how));
    signals.release();
    signal('SIGTERM');
    expect(stops).toEqual([]);
  });
});
