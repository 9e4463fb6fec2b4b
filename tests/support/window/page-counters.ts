import type { Page } from 'playwright-core'

/** Counters of a page since it opened. */
export interface PageCounts {
  /** React commits with new live data. Commits caused by clocks and scrolling do not count. */
  readonly feedCommits: number
  /** Batches of the live feed. */
  readonly batches: number
  readonly atMs: number
}

interface Counted {
  aspyCounts: { feedCommits: number; batches: number }
  __REACT_DEVTOOLS_GLOBAL_HOOK__: object
}

/** A node of React's tree, as exposed to its developer tools. */
interface Fiber {
  readonly memoizedProps: { readonly snapshot?: object } | string | null
  readonly child: Fiber | null
  readonly sibling: Fiber | null
}

/** Counts from the next page on, through the hook that React offers its developer tools. */
export async function countInPage(page: Page): Promise<void> {
  await page.addInitScript(() => {
    const counts = { feedCommits: 0, batches: 0 }
    const place = window as unknown as Counted
    place.aspyCounts = counts
    let shown: object | undefined
    /** Finds the live snapshot that the page was rendered from; each batch has a new object. */
    const snapshotIn = (first: Fiber | null): object | undefined => {
      for (let fiber = first; fiber !== null; fiber = fiber.sibling) {
        const props = fiber.memoizedProps
        const found = (typeof props === 'object' ? props?.snapshot : undefined) ?? snapshotIn(fiber.child)
        if (found !== undefined) return found
      }
      return undefined
    }
    place.__REACT_DEVTOOLS_GLOBAL_HOOK__ = {
      supportsFiber: true,
      inject: () => 1,
      onCommitFiberRoot(_renderer: number, { current }: { readonly current: Fiber }) {
        const snapshot = snapshotIn(current)
        if (snapshot !== undefined && snapshot !== shown) counts.feedCommits += 1
        shown = snapshot
      },
      onCommitFiberUnmount() {
        // Unmounts are part of a counted commit.
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

/** Returns the heap size and node count of the page after garbage collection. */
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
