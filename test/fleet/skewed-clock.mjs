/** Loaded before a program (`node --import`): its clock is wrong by so many milliseconds, and by so many from its fourth second on: `RALPH_TEST_CLOCK=-300000,60000`. */
const [first = 0, then = first] = (process.env['RALPH_TEST_CLOCK'] ?? '').split(',').map(Number);
const RealDate = Date;
const now = () => RealDate.now() + (performance.now() < 4000 ? first : then);

globalThis.Date = class extends RealDate {
  constructor(...words) {
    super(...(words.length === 0 ? [now()] : words));
  }
  static now() {
    return now();
  }
};
