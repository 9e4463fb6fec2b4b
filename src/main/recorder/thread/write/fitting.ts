/** Returns how many drafts fit into the target time, given that `written` of them took `share` of it. */
export function fitting(size: number, most: number, share: number, written: number): number {
  if (written < size && share < 1) return size
  return Math.max(1, Math.min(most, Math.round(written / Math.max(share, 0.01)), size * 2))
}
