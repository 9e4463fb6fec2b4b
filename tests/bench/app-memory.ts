import { existsSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { until } from '../support/runner/until.ts'

const PROBE = join(import.meta.dirname, 'heaps-of-threads.cjs')
/** glibc aligns the memory of an arena to this. */
const ARENA_BYTES = 64 * 1024 * 1024

/** Megabytes in memory, by what holds them. */
export interface MemoryParts {
  readonly resident: number
  /** Node's program, libraries and other files. */
  readonly files: number
  /** Memory of the C library, in use or kept: buffers, SQLite. Large blocks count as `other`. */
  readonly c_heap: number
  readonly other: number
  /** V8's heap of each thread; part of `other`. */
  readonly heaps: readonly { readonly thread: string; readonly used: number; readonly held: number }[]
}

/** Returns the process of an app below the keeper that a command has started; the command's own without one. Linux only. */
export function processOfApp(pid: number): number {
  const [child] = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ')
  return Number(child) || pid
}

interface HeapStatistics {
  readonly name: string
  readonly used_heap_size: number
  readonly total_physical_size: number
}

/** Variables for an app whose memory `memoryParts` is going to read. */
export const memoryProbe = (heapsFile: string): Record<string, string> => ({
  NODE_OPTIONS: `--require ${PROBE}`,
  ASPY_BENCH_HEAPS: heapsFile,
})

/** Reads what holds the memory of an app that was started with `memoryProbe`. Linux only. */
export async function memoryParts(pid: number, heapsFile: string): Promise<MemoryParts> {
  rmSync(heapsFile, { force: true })
  const { files, c_heap, other } = residentParts(pid)
  process.kill(pid, 'SIGUSR2')
  await until('the app has written its heaps', async () => existsSync(heapsFile))
  const heaps = JSON.parse(readFileSync(heapsFile, 'utf8')) as readonly HeapStatistics[]
  return {
    resident: rounded(files + c_heap + other),
    files: rounded(files),
    c_heap: rounded(c_heap),
    other: rounded(other),
    heaps: heaps.map(({ name, used_heap_size, total_physical_size }) => ({
      thread: name,
      used: rounded(used_heap_size),
      held: rounded(total_physical_size),
    })),
  }
}

function residentParts(pid: number): Record<'files' | 'c_heap' | 'other', number> {
  const sums = { files: 0, c_heap: 0, other: 0 }
  let part: keyof typeof sums = 'other'
  for (const line of readFileSync(`/proc/${pid}/smaps`, 'utf8').split('\n')) {
    const range = /^([0-9a-f]+)-[0-9a-f]+ (\S+) \S+ \S+ \S+ *(.*)$/.exec(line)
    if (range !== null) {
      const [, start = '', mode = '', name = ''] = range
      const isArena = name === '' && mode.startsWith('rw') && Number.parseInt(start, 16) % ARENA_BYTES === 0
      if (name === '[heap]' || isArena) part = 'c_heap'
      else part = name.startsWith('/') ? 'files' : 'other'
    }
    sums[part] += Number(/^Rss:\s+(\d+)/.exec(line)?.[1] ?? 0) * 1024
  }
  return sums
}

const rounded = (bytes: number): number => Math.round(bytes / 1024 / 1024)
