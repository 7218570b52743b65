import { setTimeout as pause } from 'node:timers/promises';
import xterm from '@xterm/headless';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { COLOURS } from './cells/tones.ts';
import { askingRun, endedRun, type Orders, redRun, type SampleRun, toSampleRun } from './fixtures.ts';
import { openView, type View, type ViewOrder } from './open-view.ts';

interface OpenedView {
  readonly view: View;
  readonly orders: Orders;
  readonly type: (text: string) => void;
  readonly resize: (columns: number, rows: number) => void;
  /** The screen once it has these words. */
  readonly until: (words: string) => Promise<string>;
  readonly written: () => string;
}

function open(sample: SampleRun, changes: Partial<ViewOrder> = {}): OpenedView {
  const terminal = new xterm.Terminal({ cols: 100, rows: 30, allowProposedApi: true });
  const orders: Orders = [];
  let written = '';
  const heard = { input: (_: string): void => undefined, resize: (): void => undefined };
  const screen = (): string => {
    const { active } = terminal.buffer;
    return Array.from({ length: terminal.rows }, (_, row) => active.getLine(active.viewportY + row)?.translateToString(true) ?? '').join(
      '\n',
    );
  };
  const view = openView({
    run: toSampleRun(sample, orders),
    terminal: {
      size: () => ({ columns: terminal.cols, rows: terminal.rows }),
      write: (text) => {
        written += text;
        terminal.write(text);
      },
      isBehind: () => false,
      onInput: (take) => {
        heard.input = take;
      },
      onBack: () => undefined,
      onResize: (call) => {
        heard.resize = call;
      },
      suspend: (onBack) => onBack(),
    },
    writing: { palette: COLOURS, isUnicode: true },
    isReadOnly: false,
    clock: () => '22:33:31',
    now: () => sample.now,
    greeting: '',
    closesAtEnd: false,
    ...changes,
  });
  return {
    view,
    orders,
    type: (text) => heard.input(text),
    resize: (columns, rows) => {
      terminal.resize(columns, rows);
      heard.resize();
    },
    until: async (words) => {
      for (let tries = 0; tries < 200 && !screen().includes(words); tries += 1) await pause(10);
      expect(screen()).toContain(words);
      return screen();
    },
    written: () => written,
  };
}

describe('a view', () => {
  it('shows the run, answers keys, and is gone when its person leaves', async () => {
    const { view, type, until, orders } = open(redRun());
    await until('GATE RED');
    type('?');
    await until('this table');
    type('xq');
    await view.closed;
    expect(orders).toEqual([]);
  });

  it('says what became of an order', async () => {
    const { view, type, until, orders } = open(askingRun());
    await until('staging?');
    type('a1\r');
    await until('In the journal as #9.');
    expect(orders).toEqual([['answer', { question: 'q1', choice: 'yes' }]]);
    view.close();
  });

  it('says why an order was refused, and goes on', async () => {
    const run = toSampleRun(redRun());
    const refused = { ...run, steer: { ...run.steer, tell: () => Promise.reject(new Error('Nobody may.')) } };
    const { view, type, until } = open(redRun(), { run: refused });
    await until('GATE RED');
    type(':hello\r');
    await until('Nobody may.');
    view.close();
  });

  it('follows the size of the terminal without ever clearing it', async () => {
    const { view, resize, until, written } = open(redRun());
    await until('6 Evidence');
    resize(70, 20);
    const small = await until('GATE RED');
    expect(small.split('\n')[0]?.length).toBeLessThanOrEqual(70);
    resize(160, 40);
    await until('4 Events 3');
    // biome-ignore lint/suspicious/noControlCharactersInRegex: what terminals obey begins with ESC
    expect(written().match(/\u001b\[[0-9;]*[JK]/g)).toBeNull();
    view.close();
  });

  it('closes by itself at the end of the run where that was asked for', async () => {
    await open(endedRun(), { closesAtEnd: true }).view.closed;
  });

  it('rejects when the run cannot be read any more, and writes nothing further', async () => {
    const run = toSampleRun(redRun());
    const lost = {
      ...run,
      refresh: () => {
        throw new Error('The journal is gone.');
      },
    };
    await expect(open(redRun(), { run: lost }).view.closed).rejects.toThrow('The journal is gone.');
  });

  describe('of a long journal', () => {
    afterEach(() => void vi.useRealTimers());

    it('says that it is read, and shows the run as soon as it is', async () => {
      vi.useFakeTimers();
      let isLong = true;
      const { view, written } = open(redRun(), { run: { ...toSampleRun(redRun()), refresh: () => isLong } });
      await vi.advanceTimersByTimeAsync(100);
      expect(written()).toContain('READING THE JOURNAL');
      const before = written().length;
      isLong = false;
      await vi.advanceTimersByTimeAsync(50);
      expect(written().slice(before)).toContain('RUNNING');
      view.close();
    });

    it('shows the run at once where the reading ends just behind a frame that says it', async () => {
      vi.useFakeTimers();
      let isLong = true;
      const { view, written } = open(redRun(), { run: { ...toSampleRun(redRun()), refresh: () => isLong } });
      await vi.advanceTimersByTimeAsync(5);
      expect(written()).toContain('READING THE JOURNAL');
      const before = written().length;
      isLong = false;
      await vi.advanceTimersByTimeAsync(5);
      expect(written().slice(before)).toContain('RUNNING');
      view.close();
    });
  });

  it('draws no frame while the terminal has not taken the one before', async () => {
    let isBehind = true;
    const order = { terminal: null as unknown as ViewOrder['terminal'] };
    const written: string[] = [];
    order.terminal = {
      size: () => ({ columns: 80, rows: 24 }),
      write: (text) => void written.push(text),
      isBehind: () => isBehind,
      onInput: () => undefined,
      onResize: () => undefined,
      onBack: () => undefined,
      suspend: () => undefined,
    };
    const { view } = open(redRun(), order);
    await pause(120);
    expect(written).toEqual([]);
    isBehind = false;
    await pause(120);
    expect(written.length).toBeGreaterThan(0);
    view.close();
  });
});
