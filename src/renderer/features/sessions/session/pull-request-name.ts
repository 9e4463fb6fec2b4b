/** Shortens a pull request's address to `owner/name#12`. Returns other addresses unchanged. */
export function pullRequestName(address: string): string {
  const parts = /^https?:\/\/[^/]+\/(.+?)\/(?:-\/)?(?:pull|merge_requests|pull-requests)\/(\d+)/.exec(address)
  return parts === null ? address : `${parts[1]}#${parts[2]}`
}
