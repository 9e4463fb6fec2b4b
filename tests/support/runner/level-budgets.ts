/**
 * Seconds that the tests of each level may take together, on two cores at rest. Four run at a time, so that all of them
 * take nine minutes.
 */
const BUDGETS: { readonly [level: string]: number } = { unit: 60, integration: 1420, browser: 400, client: 280 }

/** Returns a line for each level that ran: its files, their time, and its budget. */
export function levelLines(files: readonly { readonly level: string; readonly milliseconds: number }[]): string[] {
  return Object.entries(BUDGETS).flatMap(([level, budget]) => {
    const own = files.filter((file) => file.level === level)
    if (own.length === 0) return []
    const seconds = own.reduce((sum, { milliseconds }) => sum + milliseconds, 0) / 1000
    const over = seconds > budget ? ', over its budget' : ''
    return [`${level}: ${own.length} files, ${seconds.toFixed(1)} s of ${budget} s${over}`]
  })
}
