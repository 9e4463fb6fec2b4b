/**
 * Requests that are priced, below any path of a gateway: those of the Messages API, and those of the Responses API with the
 * compactions that earlier versions asked for by a path of their own.
 */
const PRICED = /^(?:[^?#]*\/v1)?\/(?:messages|responses(?:\/compact)?)\/?(?:[?#]|$)/

/** Returns whether a request to a path of the upstream costs what the guard can estimate. */
export const isPriced = (path: string): boolean => PRICED.test(path)
