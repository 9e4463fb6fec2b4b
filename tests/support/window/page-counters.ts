import type { Page } from 'playwright-core'

/** What a page did since it opened. */
export interface PageCounts {
  /** Times that React brought something new of the live feed to the page: what clocks and scrolling change is none of it. */
  readonly feedCommits: number
  /** Batches of the live feed. */
  readonly batches: number
  readonly atMs: number
}

interface Counted {
  aspyCounts: { feedCommits: number; batches: number }
  __REACT_DEVTOOLS_GLOBAL_HOOK__: object
}

/** A node of React's tree, as its developer tools know it. */
interface Fiber {
  readonly memoizedProps: { readonly snapshot?: object } | string | null
  readonly child: Fiber | null
  readonly sibling: Fiber | null
}

/** Counts from the next page on: React tells of its commits what it would tell its developer tools. */
export async function countInPage(page: Page): Promise<void> {
  await page.addInitScript(() => {
    const counts = { feedCommits: 0, batches: 0 }
    const place = window as unknown as Counted
    place.aspyCounts = counts
    let shown: object | undefined
    /** The feed's state that a part of the page was drawn from: the feed makes a new object for each. */
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
