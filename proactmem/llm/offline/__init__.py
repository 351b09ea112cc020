"""The offline backbone: answers every prompt of the method by documented rules, reading nothing but the messages."""
