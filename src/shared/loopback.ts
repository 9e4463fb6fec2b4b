/** Returns whether a URL's `hostname` is this machine. Traffic to it never goes through a network proxy. */
export const isLoopback = (hostname: string): boolean => /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(hostname)
