/** Returns whether a URL's `hostname` is this machine. Traffic to it never goes through a network proxy. */
export function isLoopback(hostname: string): boolean {
  return /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(hostname)
}
