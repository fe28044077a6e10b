/** Ids that we give; one from elsewhere never becomes a path. */
const SESSION_ID = /^[\w-]{1,100}$/;

export const isSessionId = (id: string): boolean => SESSION_ID.test(id);
