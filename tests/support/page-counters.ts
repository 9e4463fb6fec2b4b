import type { Page } from 'playwright-core'

/** What a page did since it opened. */
export interface PageCounts {
  /** Times that React changed the page. */
  readonly commits: number
  /** Batches of the live feed. */
  readonly batches: number
  readonly atMs: number
}

interface Counted {
  aspyCounts: { commits: number; batches: number }
  __REACT_DEVTOOLS_GLOBAL_HOOK__: object
}

/** Counts from the next page on: React tells of its commits what it would tell its developer tools. */
export async function countInPage(page: Page): Promise<void> {
  await page.addInitScript(() => {
    const counts = { commits: 0, batches: 0 }
    const place = window as unknown as Counted
    place.aspyCounts = counts
    place.__REACT_DEVTOOLS_GLOBAL_HOOK__ = {
      supportsFiber: true,
      inject: () => 1,
      onCommitFiberRoot() {
        counts.commits += 1
      },
      onCommitFiberUnmount() {
        // Each is part of a commit that is counted.
      },
    }
    const parse = JSON.parse
    JSON.parse = (text: string, ...rest: []) => {
      if (text.startsWith('{"events":') && text.includes('"deltas":')) counts.batches += 1
      return parse(text, ...rest) as unknown
    }
  })
}

export function pageCounts(page: Page): Promise<PageCounts> {
  return page.evaluate(() => ({
    ...(window as unknown as Counted).aspyCounts,
    atMs: performance.now(),
  }))
}

export function nodeCount(page: Page): Promise<number> {
  return page.evaluate(() => document.querySelectorAll('*').length)
}

/** Bytes that the page's script holds and nodes that live, on screen or not, after what is unused was thrown away. */
export async function heldByPage(page: Page): Promise<{ readonly bytes: number; readonly nodes: number }> {
  const session = await page.context().newCDPSession(page)
  try {
    for (let round = 0; round < 3; round += 1) await session.send('HeapProfiler.collectGarbage')
    const { usedSize } = await session.send('Runtime.getHeapUsage')
    const { nodes } = await session.send('Memory.getDOMCounters')
    return { bytes: usedSize, nodes }
  } finally {
    await session.detach()
  }
}
