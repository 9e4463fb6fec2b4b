import type { Reporter, TestModule } from 'vitest/node'

/** Prints one plain line at the end of a run: `N passed, N failed, N skipped`. */
export default class SummaryReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], unhandled: readonly unknown[]): void {
    const count = { passed: 0, failed: unhandled.length, skipped: 0, pending: 0 }
    for (const module of modules) {
      for (const test of module.children.allTests()) count[test.result().state] += 1
      if (module.errors().length > 0) count.failed += module.errors().length
    }
    // After the output of the default reporter.
    process.once('exit', () => {
      process.stdout.write(
        `\n${count.passed} passed, ${count.failed} failed, ${count.skipped + count.pending} skipped\n`,
      )
    })
  }
}
