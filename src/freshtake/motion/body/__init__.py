"""What a skeleton is: limbs, hinges, feet, facing, size and the root."""
