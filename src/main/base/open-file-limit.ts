/** Assumed if the system reports no limit: the smallest common one. */
const FALLBACK = 1024
/** More would not be used. */
const MOST = 65_536

interface Limits {
  readonly userLimits?: { readonly open_files?: { readonly soft?: unknown } }
}

let found: number | null = null

/** Returns how many files and sockets this process may have open. Node raises the soft limit to the hard one. */
export const openFileLimit = (): number => (found ??= reportedLimit())

/** A report takes milliseconds: it says all about the process. */
function reportedLimit(): number {
  // Its type lacks the option.
  const report = process.report as typeof process.report & { excludeNetwork: boolean }
  const { excludeNetwork } = report
  // Otherwise the report looks up the names of all network addresses.
  report.excludeNetwork = true
  const soft = (report.getReport() as Limits).userLimits?.open_files?.soft
  report.excludeNetwork = excludeNetwork
  if (soft === 'unlimited') return MOST
  return typeof soft === 'number' && soft > 0 ? Math.min(soft, MOST) : FALLBACK
}
