/**
 * Returns how many drafts fit into the target time, given that `written` of them took `share` of it. At most twice or
 * half as many as before: a wait for the disk or the processor reveals little about the drafts.
 */
export function fitting(size: number, most: number, share: number, written: number): number {
  if (written < size && share < 1) return size
  const fits = Math.max(written / Math.max(share, 0.01), size / 2)
  return Math.max(1, Math.min(most, Math.round(fits), size * 2))
}
