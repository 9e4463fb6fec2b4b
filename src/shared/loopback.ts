/** Whether a URL's `hostname` names this machine itself: traffic to it never goes by a network proxy. */
export function isLoopback(hostname: string): boolean {
  return /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(hostname)
}
