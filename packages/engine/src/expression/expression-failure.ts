/** An expression that cannot be resolved into anything that could be used. The execution fails with this text. */
export class ExpressionFailure extends Error {}
