import { statSync } from 'node:fs'

const LOOK_MS = 5000
/** An update that does not start is tried again later and later, after at most so many looks. */
const MOST_LOOKS = 64

/**
 * Calls `replace` once another program is in the place of this one and no longer changes: parts that this one has not loaded
 * yet are gone. Calls it again as long as it is in vain.
 */
export function watchProgram(file: string, replace: () => void): void {
  const own = markOf(file)
  // From its sources it runs without one.
  if (own === null) return
  let last: string | null = own
  let [looks, wait] = [0, 1]
  setInterval(() => {
    const now = markOf(file)
    looks = now !== null && now !== own && now === last ? looks + 1 : 0
    last = now
    if (looks < wait) return
    looks = 0
    wait = Math.min(wait * 2, MOST_LOOKS)
    replace()
  }, LOOK_MS).unref()
}

/** Installers may keep times, but not the file. */
function markOf(file: string): string | null {
  const found = statSync(file, { throwIfNoEntry: false })
  return found === undefined ? null : `${found.ino} ${found.size} ${found.mtimeMs}`
}
