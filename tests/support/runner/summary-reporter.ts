import type { Reporter, TestModule } from 'vitest/node'
import { levelLines } from './level-budgets.ts'

/** Prints at the end of a run: the time of each level with its budget, and `N passed, N failed, N skipped`. */
export default class SummaryReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], unhandled: readonly unknown[]): void {
    const count = { passed: 0, failed: unhandled.length, skipped: 0, pending: 0 }
    for (const module of modules) {
      for (const test of module.children.allTests()) count[test.result().state] += 1
      if (module.errors().length > 0) count.failed += module.errors().length
    }
    const lines = levelLines(
      modules.map((module) => ({ level: module.project.name, milliseconds: module.diagnostic().duration })),
    )
    // After the output of the default reporter.
    process.once('exit', () => {
      process.stdout.write(`\n${lines.map((line) => `${line}\n`).join('')}`)
      process.stdout.write(`${count.passed} passed, ${count.failed} failed, ${count.skipped + count.pending} skipped\n`)
    })
  }
}
