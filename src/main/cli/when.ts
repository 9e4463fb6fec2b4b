/** Formats a time as 2026-11-21 10:15, in the local time zone. */
export function when(iso: string | null): string {
  if (iso === null) return '-'
  const date = new Date(iso)
  const two = (n: number) => String(n).padStart(2, '0')
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())} ${two(date.getHours())}:${two(date.getMinutes())}`
}
