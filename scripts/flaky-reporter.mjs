/** A reporter that names the tests that passed only at a later try, so that none of them goes unseen. */
export default class FlakyReporter {
  /** @param {import('vitest/node').TestCase} test */
  onTestCaseResult(test) {
    const { flaky = false, retryCount = 0 } = test.diagnostic() ?? {};
    if (flaky) console.log(`flaky: passed at try ${retryCount + 1}: ${test.module.relativeModuleId} > ${test.fullName}`);
  }
}
